#include "soft_step/turning_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "narrowphase/find_contacts.h"
#include "soft_step/contact_lanes.h"

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

// A contact that was found again within a step, in place of the old one (turning_contacts.h).
//
// The next sweep is one that follows the bodies: it adds what they have moved since arms were placed last to arms and gaps. So
// what is written here are arms and gaps of before that motion, such that arms and gaps are exact after it:
//
//   arm ← arm' − shift,   gap ← gap' − n·(Δx_b − Δx_a + θ_b × arm_b − θ_a × arm_a) − v θ·t + u θ·s
//
// Masses are marked as stale, so that the sweep computes them again.

namespace {

/// Sorts a few elements and keeps the order of equal ones. std::stable_sort would allocate memory.
template <class Less> void sort_few(int* begin, int* end, const Less& less) {
  for (int* next = begin; next != end; ++next)
    for (int* i = next; i != begin && less(*i, *(i - 1)); --i) std::swap(*i, *(i - 1));
}

/// Which point of a manifold goes where: the deepest one in any case, then those whose features the contact has, then the others by
/// depth. -1: none, the contact has more points than were found.
std::array<int, 4> assign_points(const Contact& c, int points, const Manifold& found) {
  std::array<int, 4> place{-1, -1, -1, -1}, old_of{-1, -1, -1, -1}, order{0, 1, 2, 3};
  for (int i = 0; i < found.count; ++i)
    for (int k = 0; k < points; ++k)
      if (c.points[static_cast<std::size_t>(k)].key == found.points[static_cast<std::size_t>(i)].key)
        old_of[static_cast<std::size_t>(i)] = k;
  int* const end = order.data() + found.count;
  const auto depth = [&](int i) { return found.points[static_cast<std::size_t>(i)].separation; };
  const auto is_new = [&](int i) { return old_of[static_cast<std::size_t>(i)] < 0; };
  sort_few(order.data(), end, [&](int x, int y) { return depth(x) < depth(y); });
  if (found.count > 1) sort_few(order.data() + 1, end, [&](int x, int y) { return !is_new(x) && is_new(y); });
  const int kept = std::min(points, found.count);
  std::array<bool, 4> is_put{};
  for (int k = 0; k < kept; ++k) {
    const auto i = static_cast<std::size_t>(order[static_cast<std::size_t>(k)]);
    if (old_of[i] < 0 || place[static_cast<std::size_t>(old_of[i])] >= 0) continue;
    place[static_cast<std::size_t>(old_of[i])] = static_cast<int>(i), is_put[i] = true;
  }
  int at = 0;
  for (int k = 0; k < kept; ++k) {
    const int i = order[static_cast<std::size_t>(k)];
    if (is_put[static_cast<std::size_t>(i)]) continue;
    while (place[static_cast<std::size_t>(at)] >= 0) ++at;
    place[static_cast<std::size_t>(at)] = i;
  }
  return place;
}

Vec3 vec(const double* x) { return {x[0], x[1], x[2]}; }

void put(const Vec3& v, int lane, auto* to) {
  for (int k = 0; k < 3; ++k) to[k][lane] = static_cast<std::remove_reference_t<decltype(to[k][lane])>>(v[k]);
}

}  // namespace

void ContactLanes::replace(std::uint32_t index, const StepContact& contact, const Manifold& found, double envelope,
                           const BodyState& s) {
  Contact& c = *contact.contact;
  if (c.directed) return;  // its tangent is the grain of a material
  locate_lanes();
  const ClusterLane at = lane_of_contact_[index];
  const int lane = at.lane;
  LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
  LanePoint* points = points_.data() + block.first_point;
  const std::array<int, 4> place = assign_points(c, block.points, found);
  const Vec3 between = s.position[contact.slot_b] - s.position[contact.slot_a];
  const Vec3 n = found.normal, t = carried_tangent(c.tangent, n), across = cross(n, t);
  std::array<Vec3, 4> middle;
  std::array<double, 4> gap{};
  Vec3 center{};
  for (int i = 0; i < block.points; ++i) {
    const auto k = static_cast<std::size_t>(i);
    ContactPoint& p = c.points[k];
    if (place[k] >= 0) {
      const ManifoldPoint& from = found.points[static_cast<std::size_t>(place[k])];
      p.local_a = from.on_a, p.local_b = from.on_b, p.key = from.key;
    }
    const Vec3 on_a = rotate(s.orientation[contact.slot_a], p.local_a),
               on_b = between + rotate(s.orientation[contact.slot_b], p.local_b);
    middle[k] = 0.5 * (on_a + on_b), gap[k] = dot(n, on_b - on_a);
    if (place[k] < 0) gap[k] = std::max(gap[k], envelope);  // this part of the surfaces has come apart
    center += (1.0 / block.points) * middle[k];
  }
  c.normal = n, c.tangent = t;
  const LaneBody &a = bodies_[static_cast<std::size_t>(block.a[lane] / kVelocitySize)],
                 &b = bodies_[static_cast<std::size_t>(block.b[lane] / kVelocitySize)];
  const Vec3 moved = static_cast<double>(block.follow_a[lane]) * vec(a.moved) +
                     static_cast<double>(block.follow_b[lane]) * vec(b.moved);
  const Vec3 arm_a = center - (moved - vec(a.moved)), arm_b = center - between - (moved - vec(b.moved));
  const Vec3 turn = vec(b.turned) - vec(a.turned);
  const double opened = dot(n, vec(b.moved) - vec(a.moved) + cross(vec(b.turned), arm_b) - cross(vec(a.turned), arm_a));
  put(n, lane, block.normal), put(t, lane, block.tangent);
  put(arm_a, lane, block.arm_a), put(arm_b, lane, block.arm_b);
  const Vec3 surface = c.is_plain ? Vec3{} : c.surface_velocity;
  block.slip[0][lane] = static_cast<float>(-dot(surface, t)),
  block.slip[1][lane] = static_cast<float>(-dot(surface, across));
  // The points show another place from now on, so there is no creep to undo.
  for (int k = 0; k < 3; ++k) block.pull[k][lane] = k < 2 ? block.slip[k][lane] : 0;
  for (int i = 0; i < block.points; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Vec3 rho = middle[k] - center;
    const double u = block.is_single() ? 0 : dot(t, rho), v = block.is_single() ? 0 : dot(across, rho);
    points[i].gap[lane] = static_cast<float>(gap[k] - opened - v * dot(t, turn) + u * dot(across, turn));
    if (block.is_single()) continue;
    points[i].u[lane] = static_cast<float>(u), points[i].v[lane] = static_cast<float>(v);
  }
  block.stale[lane] = 1e30F;
}

}  // namespace rigor
