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

void Reactions::write_joint(System& s, const Link& link, const Wrench& on_link, const RowBlock& block) {
  Rows& rows = s.rows();
  std::array<Wrench, 6> J;  // of rows that carry the link
  std::array<std::size_t, 6> row{};
  std::size_t n = 0;
  const int at = link.is_a ? 0 : 6;
  for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
    if (rows.key[i] < kKeyLocked + 6) J[n] = {part(rows.J[i], at), part(rows.J[i], at + 3)}, row[n++] = i;
  const auto product = [](const Wrench& a, const Wrench& b) { return rigor::dot(a.f, b.f) + rigor::dot(a.t, b.t); };
  std::array<double, 36> G{};
  std::array<double, 6> lambda{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) G[i * n + j] = G[j * n + i] = product(J[i], J[j]);
    lambda[i] = product(J[i], on_link);
  }
  factors_.factorise(static_cast<int>(n), {G.data(), n * n}, 1e-14);
  factors_.solve({lambda.data(), n});
  for (std::size_t i = 0; i < n; ++i) rows.lambda[row[i]] = lambda[i];
}

}  // namespace rigor::articulated
