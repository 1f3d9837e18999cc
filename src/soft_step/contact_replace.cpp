// A contact that was found again within a step, in place of the old one (turning_contacts.h).
//
// The next sweep is one that follows the bodies: it adds what they have moved since arms were placed last to arms and gaps. So
// what is written here are arms and gaps of before that motion, such that arms and gaps are exact after it:
//
//   arm ← arm' − shift,   gap ← gap' − n·(Δx_b − Δx_a + θ_b × arm_b − θ_a × arm_a) − v θ·t + u θ·s
//
// Masses are marked as stale, so that the sweep computes them again.
#include <algorithm>
#include <array>
#include <utility>

#include "narrowphase/match_contacts.h"
#include "soft_step/contact_lanes.h"

namespace rigor {

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
  if (c.directed || (!c.is_plain && c.surface_velocity != Vec3{})) return;  // their tangents belong to materials
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
  // The points show another place from now on, so there is no creep to undo. Belts do not get here: their slip would be along t.
  for (auto& pull : block.pull) pull[lane] = 0;
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
