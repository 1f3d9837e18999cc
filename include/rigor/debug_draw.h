// Drawing what a simulation knows: contacts, velocities, forces, bounds, inertias, joints (7.4, "Render"). An application implements
// DebugDraw with whatever it draws with; the viewer's own page is one such application.
//
// Everything is in world coordinates and SI units. The application chooses colours and the length of a metre per second:
// it receives the layer, and a number per item where one makes sense.
#pragma once

#include <cstdint>
#include <set>
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
  // What each force effect gives to each body at present, one vector per pair; value: the effect's position in World::forces().
  effect_forces,   // N, on their line of action
  effect_torques,  // N m, about the center of mass
};
inline constexpr int kDebugLayerCount = 19;

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

/// The flag of 7.4, `DebugIsActive`, for every body, joint and force effect: what is switched off is not drawn. All are on at first. A contact
/// needs both of its bodies. The flags belong to a picture and not to the world: drawing leaves a simulation as it is.
class DebugFlags {
 public:
  void set(BodyId id, bool on) { change(bodies_, id, on); }
  void set(JointId id, bool on) { change(joints_, id, on); }
  void set(ForceId id, bool on) { change(forces_, id, on); }
  bool is_on(BodyId id) const { return !bodies_.contains(id); }
  bool is_on(JointId id) const { return !joints_.contains(id); }
  bool is_on(ForceId id) const { return !forces_.contains(id); }

 private:
  template <class Id> static void change(std::set<Id>& off, Id id, bool on) {
    if (on)
      off.erase(id);
    else
      off.insert(id);
  }

  std::set<BodyId> bodies_;  // those that are off
  std::set<JointId> joints_;
  std::set<ForceId> forces_;
};

/// Draws the given layers of the present state. Contact forces are those of the last step.
void debug_draw(const Simulation& simulation, std::span<const DebugLayer> layers, DebugDraw& out,
                const DebugFlags& flags = {});

}  // namespace rigor
