// Joints by name: the types of the registry, made from an anchor and axes in world coordinates at the bodies' present poses.
//
//   const JointId door = world.add_joint(hinge_joint(world, frame, door, {0, 1, 0}, {0, 1, 0}, {{"upper", 1.5}}));
//
// The last argument holds the parameters of the type, by the names that scene files use (`rigor methods hinge`). The result
// is a plain JointDef: its name, break force and axes can be changed before it is added.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/fields.h"
#include "rigor/joints.h"

namespace rigor {

class World;

/// Where a joint is: a point and up to two directions, of any length but zero.
struct JointPlacement {
  Vec3 anchor;
  std::optional<Vec3> axis, axis2;
};

/// A joint of any type, placed in world coordinates; the frames of both bodies coincide now. Error if the type needs an axis
/// that is not given, or if a parameter is unknown or out of range.
JointDef make_joint(const World& world, std::string_view type, BodyId a, BodyId b, const JointPlacement& placement,
                    const Settings& parameters = {});

// Holds the anchor; all rotations are free. `axis` is that of the twist.
JointDef ball_joint(const World&, BodyId a, BodyId b, const Vec3& anchor, const Settings& parameters = {});
JointDef ball_joint(const World&, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis,
                    const Settings& parameters = {});
/// Turns about the axis.
JointDef hinge_joint(const World&, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis,
                     const Settings& parameters = {});
/// Slides along the axis.
JointDef slider_joint(const World&, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis,
                      const Settings& parameters = {});
/// Slides along the axis and turns about it.
JointDef cylindrical_joint(const World&, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis,
                           const Settings& parameters = {});
/// Turns about `axis`, which a carries, and about `axis2`, which b carries; the two are perpendicular.
JointDef universal_joint(const World&, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis, const Vec3& axis2,
                         const Settings& parameters = {});
/// Welds the two bodies together.
JointDef fixed_joint(const World&, BodyId a, BodyId b, const Settings& parameters = {});
/// A massless rod between two points.
JointDef distance_joint(const World&, BodyId a, BodyId b, const Vec3& anchor_a, const Vec3& anchor_b,
                        const Settings& parameters = {});
/// Keeps two points from going further apart than they are, or than "upper".
JointDef rope_joint(const World&, BodyId a, BodyId b, const Vec3& anchor_a, const Vec3& anchor_b,
                    const Settings& parameters = {});
/// The point of b at the anchor stays on the line through the anchor that a carries.
JointDef point_on_line_joint(const World&, BodyId a, BodyId b, const Vec3& anchor, const Vec3& axis,
                             const Settings& parameters = {});
/// The point of b at the anchor stays in the plane through the anchor that a carries.
JointDef point_on_plane_joint(const World&, BodyId a, BodyId b, const Vec3& anchor, const Vec3& normal,
                              const Settings& parameters = {});
/// Slides in a plane and turns about its normal.
JointDef planar_joint(const World&, BodyId a, BodyId b, const Vec3& anchor, const Vec3& normal,
                      const Settings& parameters = {});
// The rotational joints of Bender and Schmitt 2006, 4.3; translation is free.
JointDef fixed_rotation_joint(const World&, BodyId a, BodyId b, const Settings& parameters = {});
JointDef orientation_joint(const World&, BodyId a, BodyId b, const Vec3& axis, const Settings& parameters = {});
JointDef two_axis_rotation_joint(const World&, BodyId a, BodyId b, const Vec3& axis, const Vec3& axis2,
                                 const Settings& parameters = {});
/// A wheel b at a chassis a: sprung along the steering axis, steered about it, spinning about `spin_axis`.
JointDef car_wheel_joint(const World&, BodyId chassis, BodyId wheel, const Vec3& center, const Vec3& steering_axis,
                         const Vec3& spin_axis, const Settings& parameters = {});
/// The point of b at `bead` slides along a curve through `points`, world coordinates, that a carries.
JointDef path_joint(const World&, BodyId a, BodyId b, const Vec3& bead, const std::vector<Vec3>& points, bool closed);
/// Couples two joints that are in the world already: first + ratio · second stays constant. An axis of -1 is the first one
/// of the joint that is not locked.
JointDef gear_joint(const World&, JointId first, JointId second, double ratio, int first_axis = -1,
                    int second_axis = -1);
/// Six axes, each free, limited or locked; `axis` is x of the joint frame, `axis2` its z.
JointDef six_dof_joint(const World&, BodyId a, BodyId b, const JointPlacement& placement,
                       const Settings& parameters = {});

/// The parameters of a joint that differ from its type's defaults. If its type cannot express it, `type` is a more general one.
struct JointDescription {
  std::string type;
  Settings parameters;
};
JointDescription describe_joint(const JointDef& def);
/// Changes parameters of a joint in a world by name; the others are unchanged.
void set_joint_parameters(World& world, JointId id, const Settings& parameters);

}  // namespace rigor
