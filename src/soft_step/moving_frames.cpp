#include "soft_step/moving_frames.h"

#include <algorithm>

namespace rigor {

namespace {

bool has_velocity(const BodyState& s, std::uint32_t slot) { return slot < s.end(BodySet::kinematic); }

Vec3 velocity_at(const BodyState& s, std::uint32_t slot, const Vec3& point) {
  return s.velocity[slot] + cross(s.angular_velocity[slot], point - s.position[slot]);
}

/// The velocity of the belt on the fixed body of a contact, along the surface.
Vec3 belt_of(const StepContact& c, bool a_is_fixed) {
  if (c.contact->is_plain) return {};
  const Vec3& n = c.contact->normal;
  const Vec3 along = c.contact->surface_velocity - dot(n, c.contact->surface_velocity) * n;
  return a_is_fixed ? -along : along;
}

}  // namespace

void MovingFrames::find(const ConstraintList& list, const SoftIslands& islands, const BodyState& s) {
  const auto is_moved = [](const SoftIsland& island) { return island.is_moved; };
  frames_.clear();
  if (std::none_of(islands.islands().begin(), islands.islands().end(), is_moved)) return;
  for (const SoftIsland& island : islands.islands()) frames_.emplace_back().is_moved = island.is_moved;
  // The island that a pair of an awake and a fixed body belongs to, if it is one of those.
  const auto moved_island = [&](std::uint32_t a, std::uint32_t b) -> Frame* {
    const std::uint32_t low = std::min(a, b), high = std::max(a, b);
    if (low >= s.awake() || high < s.awake()) return nullptr;
    Frame& frame = frames_[islands.island_of()[low]];
    return frame.is_moved ? &frame : nullptr;
  };
  for (const StepJoint& joint : list.joints)
    if (Frame* frame = moved_island(joint.slot_a, joint.slot_b))
      add(*frame, std::max(joint.slot_a, joint.slot_b), s.position[std::min(joint.slot_a, joint.slot_b)], {}, s);
  for (const StepContact& c : list.contacts) {
    if (c.points == 0) continue;
    Frame* frame = moved_island(c.slot_a, c.slot_b);
    if (!frame) continue;
    const bool a_is_fixed = c.slot_a >= s.awake();
    const std::uint32_t fixed = a_is_fixed ? c.slot_a : c.slot_b;
    for (int i = 0; i < c.points; ++i) {
      const ContactPoint& p = c.contact->points[static_cast<std::size_t>(i)];
      const Vec3 point = s.position[fixed] + rotate(s.orientation[fixed], a_is_fixed ? p.local_a : p.local_b);
      add(*frame, fixed, point, belt_of(c, a_is_fixed), s);
    }
  }
  for (Frame& frame : frames_) {
    if (!frame.is_moved || (frame.is_one && frame.mover != kNone)) continue;
    frame.middle = 0.5 * (frame.low + frame.high);
    frame.spread = 0.5 * length(frame.high - frame.low);
  }
}

void MovingFrames::add(Frame& frame, std::uint32_t fixed, const Vec3& point, const Vec3& belt, const BodyState& s) {
  const bool moves = has_velocity(s, fixed);
  const Vec3 w = (moves ? velocity_at(s, fixed, point) : Vec3{}) + belt;
  const bool is_mover = moves && belt == Vec3{};
  if (!std::exchange(frame.is_begun, true)) {
    frame.low = frame.high = w;
    frame.mover = is_mover ? fixed : kNone;
    return;
  }
  frame.is_one = frame.is_one && is_mover && fixed == frame.mover;
  frame.low = {std::min(frame.low.x, w.x), std::min(frame.low.y, w.y), std::min(frame.low.z, w.z)};
  frame.high = {std::max(frame.high.x, w.x), std::max(frame.high.y, w.y), std::max(frame.high.z, w.z)};
}

BodyVelocity MovingFrames::at(std::uint32_t island, const Vec3& position, const BodyState& s) const {
  if (frames_.empty() || !frames_[island].is_moved) return {};
  const Frame& frame = frames_[island];
  if (frame.is_one && frame.mover != kNone)
    return {velocity_at(s, frame.mover, position), s.angular_velocity[frame.mover]};
  return {frame.middle, {}};
}

}  // namespace rigor
