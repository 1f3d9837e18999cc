// The impulses of contacts, recorded sub-step by sub-step for those who ask whether they explain the motion (rigor/impulses.h). At the end of a sub-step the lanes hold all that its contacts did:
// the warm start and what sweeps have added. What the bounds on energy take from velocities afterwards belongs to no contact and is not recorded.
#include "soft_step/contact_lanes.h"

namespace rigor {

namespace {

/// An impulse P at the arms, with the turning impulse L.
void push(ConstraintImpulse& of, const Vec3& P, const Vec3& r_a, const Vec3& r_b, const Vec3& L) {
  of.linear_a -= P, of.angular_a -= cross(r_a, P) + L;
  of.linear_b += P, of.angular_b += cross(r_b, P) + L;
}

}  // namespace

void ContactLanes::record_lane(const ConstraintList& list, const LaneBlock& block, int lane,
                               std::vector<ConstraintImpulse>& to) const {
  const Contact& c = *list.contacts[static_cast<std::size_t>(block.contact[lane])].contact;
  const auto number = [lane](const LaneArray<float>& of) { return static_cast<double>(of[lane]); };
  const Vec3 n{number(block.normal[0]), number(block.normal[1]), number(block.normal[2])};
  const Vec3 t{number(block.tangent[0]), number(block.tangent[1]), number(block.tangent[2])};
  const Vec3 s = cross(n, t), arm_a = lane_of(block.arm_a, lane), arm_b = lane_of(block.arm_b, lane);
  for (int i = 0; i < block.points; ++i) {
    const LanePoint& point = points_[static_cast<std::size_t>(block.first_point + i)];
    if (!(point.impulse[0][lane] > 0)) continue;
    ConstraintImpulse of;
    of.a = c.a, of.b = c.b, of.part_a = c.part_a, of.part_b = c.part_b;
    of.key = c.points[static_cast<std::size_t>(i)].key;
    Vec3 rho{};  // a single point is the center
    if (!block.is_single()) rho = number(point.u) * t + number(point.v) * s;
    const Vec3 P = number(point.impulse[0]) * n + number(point.impulse[1]) * t + number(point.impulse[2]) * s;
    Vec3 L{};
    if (block.has_turning && i == 0) {
      const LaneArray<float>* turning = block.couplings->turning_impulse;
      L = number(turning[0]) * t + number(turning[1]) * s + number(turning[2]) * n;
    }
    push(of, P, arm_a + rho, arm_b + rho, L);
    to.push_back(of);
  }
}

void ContactLanes::record(int pace, const ConstraintList& list, std::vector<ConstraintImpulse>& to) const {
  for (std::size_t r = pace_runs_[static_cast<std::size_t>(pace)].begin; r < pace_end(pace); ++r)
    for (int k = runs_[r].begin; k < runs_[r].end; ++k) {
      const LaneBlock& block = blocks_[static_cast<std::size_t>(k)];
      for (int lane = 0; lane < block.lanes; ++lane) record_lane(list, block, lane, to);
    }
}

}  // namespace rigor
