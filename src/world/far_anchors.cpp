// Finds joints that hold a body at a point so far away that rounding and the arc of one step are larger than the body.
#include "rigor/queries.h"
#include "validate/validator.h"
#include "world/body_checks.h"

namespace rigor {

namespace {

// Chosen: at this lever arm a milliradian, an error that any method may have, is as long as the body.
constexpr double kFar = 1000;  // radii of the body
constexpr std::size_t kMost = 10;

/// The lever arm of the joint on body `id` in radii of the body; 0 for bodies that cannot move or have no size.
double lever(const World& world, BodyId id, const Transform& frame) {
  const ShapePtr& shape = world.body_def(id).shape;
  if (world.is_fixed(id) || !shape || !(shape->bounding_radius() > 0)) return 0;
  const Transform pose{world.position(id), world.orientation(id)};
  return length((pose * frame).translation - world.center_of_mass(id)) / shape->bounding_radius();
}

}  // namespace

std::vector<std::string> far_anchors(const World& world) {
  std::vector<std::string> sentences;
  std::size_t count = 0;
  for (const JointId j : world.joints()) {
    const JointDef& joint = world.joint(j);
    for (const auto& [id, frame] : {std::pair(joint.a, joint.frame_a), std::pair(joint.b, joint.frame_b)}) {
      const double radii = lever(world, id, frame);
      if (radii <= kFar || ++count > kMost) continue;
      sentences.push_back("joint " + quoted(joint.name) + " holds " + quoted(world.name(id)) + " at a point " +
                          report_number(radii) + " times its radius away: no method holds that well");
    }
  }
  if (count > kMost) sentences.push_back("and " + std::to_string(count - kMost) + " more anchors of this kind");
  return sentences;
}

}  // namespace rigor
