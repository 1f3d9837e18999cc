#include "articulated/reactions.h"

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"

namespace rigor::articulated {

void Reactions::write(System& s, ArticulatedBodies& at_start, std::span<const Wrench> bias_at_start) {
  Rows& rows = s.rows();
  p_.assign(bias_at_start.begin(), bias_at_start.end());
  a_.assign(p_.size(), {});
  for (const Island& island : s.islands)
    for (const RowRef& ref : island.rows)
      subtract_row(rows, ref, rows.lambda[static_cast<std::size_t>(ref.row)] / s.h, s.forest, p_);
  for (int t = 0; t < s.forest.tree_count(); ++t) at_start.propagate(t, true, p_, a_);
  const std::vector<int>& link_of = s.forest.link_of_joint;
  for (const RowBlock& block : rows.blocks) {
    if (block.source != RowBlock::Source::joint || link_of[block.index] < 0) continue;
    const auto i = static_cast<std::size_t>(link_of[block.index]);
    write_joint(s, s.forest.links[i], s.h * at_start.reaction(link_of[block.index], a_[i], p_[i]), block);
  }
}

/// The joints of trees are not open, so that the directions of locked translations are orthogonal, and those of locked rotations, too. Translations come first.
void Reactions::write_joint(System& s, const Link& link, const Wrench& on_link, const RowBlock& block) {
  Rows& rows = s.rows();
  const int at = link.is_a ? 0 : 6;
  Wrench rest = on_link;
  for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
    if (rows.key[i] >= kKeyLocked + 6) continue;
    const Wrench J{part(rows.J[i], at), part(rows.J[i], at + 3)};
    const bool turns = rows.key[i] >= kKeyLocked + 3;
    const Vec3 &direction = turns ? J.t : J.f, &load = turns ? rest.t : rest.f;
    rows.lambda[i] = rigor::dot(direction, load) / length_squared(direction);
    rest += -rows.lambda[i] * J;
  }
}

}  // namespace rigor::articulated
