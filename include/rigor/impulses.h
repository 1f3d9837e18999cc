// The impulses of constraints in a step, as the method itself reports them: for tests that check whether they explain the motion.
#pragma once

#include <cstdint>

#include "rigor/ids.h"
#include "rigor/math.h"

namespace rigor {

/// The impulse of one contact point or joint in one part of a step; a step of several parts has several of the same constraint.
struct ConstraintImpulse {
  enum class Source : std::uint8_t { contact, joint };
  Source source = Source::contact;
  BodyId a, b;
  JointId joint;                                  // of a joint
  std::uint32_t part_a = 0, part_b = 0, key = 0;  // of a contact point: as in Contact and ContactPoint
  Vec3 linear_a, angular_a, linear_b, angular_b;  // N s, N m s about the centers of mass, world frame
};

}  // namespace rigor
