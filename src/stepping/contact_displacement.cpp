#include "stepping/contact_displacement.h"

#include <algorithm>
#include <cmath>

#include "constraints/write_rows.h"
#include "integrators/rotation.h"

namespace rigor {

bool ContactDisplacement::collect(const Rows& rows, const std::vector<BodyVelocity>& u, const Baumgarte& correction,
                                  const RowSettings& settings, bool joints) {
  const double h = settings.h;
  rows_.restart();
  blocks_.clear();
  const auto room_of = [&](const RowBlock& block) {
    return rows.C[static_cast<std::size_t>(block.begin)] + correction.slop;
  };
  // A body that bounces separates by its own velocity; with an additional lift it would gain height at every impact.
  const auto speed_of = [&](const RowBlock& block) {
    const double wanted = std::min(correction.erp * std::max(-room_of(block), 0.0) / h, correction.max_speed);
    if (!(wanted > 0)) return 0.0;
    const double parting =
        std::max(rows.bias[static_cast<std::size_t>(block.begin)], row_velocity(rows, block.begin, block, u));
    if (parting > settings.restitution_threshold) return 0.0;
    return std::max(wanted - std::max(parting, 0.0), 0.0);
  };
  double fastest = 0;
  for (const RowBlock& block : rows.blocks)
    if (block.source == RowBlock::Source::contact) fastest = std::max(fastest, speed_of(block));
  if (fastest == 0) return false;
  for (const RowBlock& block : rows.blocks) {
    if (block.source == RowBlock::Source::joint) {
      if (joints) append_joint(rows, block);
      continue;
    }
    // The smallest distance to which a correction may push two bodies towards each other.
    const double room = room_of(block);
    if (room < 2 * h * fastest) append_contact(rows, block, room, speed_of(block));
  }
  rows_.finish();
  for (int b = 0; b < static_cast<int>(rows_.blocks.size()); ++b) blocks_.push_back(b);
  return true;
}

void ContactDisplacement::append_joint(const Rows& rows, const RowBlock& block) {
  const std::size_t count = rows_.blocks.size();
  for (int i = block.begin; i < block.end; ++i) {
    const auto r = static_cast<std::size_t>(i);
    const bool is_limit = rows.kind[r] == RowKind::limit;
    if (std::isfinite(rows.stiffness[r]) || (!is_limit && rows.kind[r] != RowKind::locked)) continue;
    if (rows_.blocks.size() == count) rows_.begin_block(block);
    append(rows, i, is_limit ? std::max(rows.C[r], 0.0) : 0, 0);  // a correction may move up to the limit
  }
}

void ContactDisplacement::append_contact(const Rows& rows, const RowBlock& block, double room, double speed) {
  rows_.begin_block(block);
  append(rows, block.begin, std::max(room, 0.0), speed);
}

void ContactDisplacement::append(const Rows& rows, int row, double C, double bias) {
  const auto r = static_cast<std::size_t>(row);
  Row copy;
  copy.J = rows.J[r];
  copy.C = C;
  copy.bias = bias;
  copy.lo = rows.lo[r];
  copy.hi = rows.hi[r];
  copy.kind = rows.kind[r];
  copy.key = rows.key[r];
  const std::size_t at = rows_.append(copy);
  rows_.JW[at] = rows.JW[r];
  rows_.diagonal[at] = rows.diagonal[r];
}

void ContactDisplacement::move(const std::vector<BodyVelocity>& u_c, double h, BodyState& s) {
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    s.position[i] += h * u_c[i].v;
    if (u_c[i].w != Vec3{}) s.orientation[i] = turned(s.orientation[i], u_c[i].w, h);
  }
}

}  // namespace rigor
