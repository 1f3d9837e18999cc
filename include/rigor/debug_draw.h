// Drawing what a simulation knows: contacts, velocities, forces, bounds, inertias, joints (7.4, "Render"). An application implements
// DebugDraw with whatever it draws with; the viewer's own page is one such application.
//
// Everything is in world coordinates and SI units. The application chooses colours and the length of a metre per second:
// it receives the layer, and a number per item where one makes sense.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "rigor/ids.h"
#include "rigor/math.h"

namespace rigor {

class Simulation;

enum class DebugLayer : std::uint8_t {
  contact_points,      // value: separation, m
  contact_normals,     // unit vectors from the first to the second body; value: separation, m
  normal_forces,       // N, mean over the last step, on the second body
  friction_forces,     // N; value: fraction of the friction limit that is used, 1 where the contact slips
  velocities,          // m/s, at the center of mass
  angular_velocities,  // rad/s
  forces,              // N, sum of all effects and user forces
  torques,             // N m
  bounds,              // axis-aligned boxes of the collision shapes
  centers_of_mass,
  inertias,      // ellipsoid of the same mass and inertia; value: mass, kg
  joint_frames,  // the axes of both frames of each joint; value: 0 x, 1 y, 2 z
  joint_errors,  // m, distance of the anchors along locked axes
  joint_forces,  // N, reaction on the second body in the last step
  joint_limits,  // m, to be drawn as lines: the range within the limits, value 0; the present position, value 1
  islands,       // awake bodies; value: the smallest id index of those that contacts and joints connect it with
  tree,          // boxes of the broad phase's tree; value: depth
};
inline constexpr int kDebugLayerCount = 17;

struct DebugLayerInfo {
  DebugLayer layer;
  std::string_view name;  // "contact-points"
  std::string_view unit;  // of its vectors; empty where it has none
  std::string_view description;
};
/// All layers, in the order of the enumeration.
std::span<const DebugLayerInfo> debug_layers();

struct DebugPoint {
  Vec3 position;
  double value = 0;
};
struct DebugVector {
  Vec3 origin, vector;
  double value = 0;
};
struct DebugBox {
  Aabb box;
  double value = 0;
};
struct DebugEllipsoid {
  Transform frame;
  Vec3 radii;
  double value = 0;
};

/// A number that belongs to a whole body, for its colour.
struct DebugBody {
  BodyId body;
  double value = 0;
};

/// Each function is called once per layer with everything in it, and not at all for an empty layer.
class DebugDraw {
 public:
  virtual ~DebugDraw() = default;
  virtual void points(DebugLayer, std::span<const DebugPoint>) {}
  virtual void vectors(DebugLayer, std::span<const DebugVector>) {}
  virtual void boxes(DebugLayer, std::span<const DebugBox>) {}
  virtual void ellipsoids(DebugLayer, std::span<const DebugEllipsoid>) {}
  virtual void bodies(DebugLayer, std::span<const DebugBody>) {}
};

/// Draws the given layers of the present state. Contact forces are those of the last step.
void debug_draw(const Simulation& simulation, std::span<const DebugLayer> layers, DebugDraw& out);

}  // namespace rigor
