#include "soft_step/turning_contacts.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

constexpr double kTolerance = 0.02;  // of the contact envelope; chosen: 0.2 mm, a tenth of what contacts may sag by
constexpr double kFrame = 1.0 / 60;  // s; from here down the tolerance shrinks with the square of the step
constexpr double kFarthest = 1e3;    // m; the error of longer arms is less than 1e-6 of their length
constexpr double kSameNormal = 0.5;  // cosine; a manifold that has turned farther is another contact

/// A ball about its center of mass: its contact stays below the center, so that turning changes no gap.
bool is_ball(const World& world, std::uint32_t slot) {
  const Shape& shape = *world.collision_shape(slot);
  const auto* sphere = shape.as<Sphere>();
  return sphere && length(world.shape_frame(slot).translation) <= 1e-9 * sphere->radius;
}

/// True for fixed bodies that move.
bool is_mover(const BodyState& s, std::uint32_t slot) { return slot >= s.awake() && slot < s.end(BodySet::kinematic); }

/// rad/s, of what moves and is no ball.
double turn_of(const World& world, std::uint32_t slot) {
  const BodyState& s = world.state();
  return slot < s.end(BodySet::kinematic) && !is_ball(world, slot) ? length(s.angular_velocity[slot]) : 0;
}

/// How much a manifold looks like a contact: shared keys first, then parts, then the normal.
double likeness(const Contact& c, const Manifold& m, const Vec3& normal) {
  double score = c.part_a == m.part_a && c.part_b == m.part_b ? 2 : 0;
  for (int i = 0; i < m.count; ++i)
    for (int k = 0; k < c.count; ++k)
      if (c.points[static_cast<std::size_t>(k)].key == m.points[static_cast<std::size_t>(i)].key) score += 4;
  return score + dot(c.normal, normal);
}

}  // namespace

void TurningContacts::choose(const ConstraintList& list, const World& world, std::span<const std::uint8_t> pace_of,
                             double h, double envelope) {
  pairs_.clear();
  if (list.contacts.empty()) return;
  const BodyState& s = world.state();
  is_joined_.assign(list.joints.empty() ? 0 : s.size(), 0);
  for (const StepJoint& joint : list.joints) {
    is_joined_[joint.slot_a] = 1;
    is_joined_[joint.slot_b] = 1;
  }
  const auto is_joined = [&](std::uint32_t slot) {
    return slot < s.awake() && !is_joined_.empty() && is_joined_[slot];
  };
  const double per_part = std::sqrt(2 * kTolerance * envelope) * std::min(1.0, h / kFrame) / h;  // √m / s
  for (std::uint32_t begin = 0, end = 0; begin < list.contacts.size(); begin = end) {
    const StepContact& first = list.contacts[begin];
    const double fastest =
        std::max(length_squared(s.angular_velocity[first.slot_a]), length_squared(s.angular_velocity[first.slot_b]));
    end = begin + 1;
    if (!(fastest * kFarthest > per_part * per_part)) continue;
    double reach_a = 0, reach_b = 0;  // m²: squared distances of the farthest points from the centers of mass
    for (end = begin; end < list.contacts.size() && list.contacts[end].pair == first.pair; ++end)
      for (int i = 0; i < list.contacts[end].points; ++i) {
        const ContactPoint& p = list.contacts[end].contact->points[static_cast<std::size_t>(i)];
        reach_a = std::max(reach_a, length_squared(p.local_a));
        reach_b = std::max(reach_b, length_squared(p.local_b));
      }
    const std::uint32_t slot = std::min(first.slot_a, first.slot_b);
    if (slot >= s.awake() || is_joined(first.slot_a) || is_joined(first.slot_b)) continue;
    if (is_mover(s, first.slot_a) || is_mover(s, first.slot_b)) continue;
    const double turn = std::max(turn_of(world, first.slot_a) * std::sqrt(std::sqrt(reach_a)),
                                 turn_of(world, first.slot_b) * std::sqrt(std::sqrt(reach_b)));
    const double parts = std::ceil(turn / per_part);
    if (parts > 1) pairs_.push_back({begin, end, pace_of[slot], static_cast<int>(std::min(parts, 1e6))});
  }
}

/// Manifolds of the pair at the present poses, with normals in the world and points in the principal frames of the bodies.
void TurningContacts::find(const StepContact& first, const World& world, const Narrowphase& narrowphase,
                           double envelope) {
  const BodyState& s = world.state();
  const auto frame = [&](std::uint32_t slot) {
    return Transform{s.position[slot], s.orientation[slot]} * world.shape_frame(slot);
  };
  const Transform frame_a = frame(first.slot_a), frame_b = frame(first.slot_b);
  task_.a = world.collision_shape(first.slot_a).get(), task_.b = world.collision_shape(first.slot_b).get();
  task_.query = {inverse(frame_a) * frame_b, envelope};
  task_.cache = {};  // a restored simulation has none either
  task_.manifolds.clear();
  narrowphase.collide({&task_, 1});
  for (Manifold& m : task_.manifolds) {
    m.normal = rotate(frame_a.rotation, m.normal);
    for (int i = 0; i < m.count; ++i) {
      ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
      p.on_b = transform_point(world.shape_frame(first.slot_b), inverse_transform_point(task_.query.b_in_a, p.on_b));
      p.on_a = transform_point(world.shape_frame(first.slot_a), p.on_a);
    }
  }
}

void TurningContacts::follow(int pace, int k, int count, const ConstraintList& list, const World& world,
                             const Narrowphase& narrowphase, double envelope, ContactLanes& lanes) {
  for (const Pair& pair : pairs_) {
    const int parts = std::min(pair.parts, count);
    if (pair.pace != pace || (k + 1) * parts / count == k * parts / count) continue;
    find(list.contacts[pair.begin], world, narrowphase, envelope);
    is_taken_.assign(task_.manifolds.size(), 0);
    for (std::uint32_t i = pair.begin; i < pair.end; ++i) {
      const StepContact& contact = list.contacts[i];
      if (contact.points == 0) continue;
      std::size_t best = task_.manifolds.size();
      double most = 0;
      for (std::size_t m = 0; m < task_.manifolds.size(); ++m) {
        const Manifold& found = task_.manifolds[m];
        if (is_taken_[m] || found.count == 0 || dot(contact.contact->normal, found.normal) < kSameNormal) continue;
        const double score = likeness(*contact.contact, found, found.normal);
        if (best == task_.manifolds.size() || score > most) best = m, most = score;
      }
      if (best == task_.manifolds.size()) continue;  // it follows its bodies to first order
      is_taken_[best] = 1;
      lanes.replace(i, contact, task_.manifolds[best], envelope, world.state());
    }
  }
}

}  // namespace rigor
