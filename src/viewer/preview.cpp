// A copy of the scene is simulated, and the outermost points of its bodies are kept: for each of kDirections directions d the
// point p with the largest d·p. The hull of these points lies inside the true one; with 162 directions it is too small by less
// than 2% of its size, which the camera's margin covers.
#include "viewer/preview.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

#include "viewer/describe.h"

namespace rigor::viewer {

namespace {

constexpr double kHorizon = 5;                              // s
constexpr double kMostBodySteps = 60'000;                   // bodies times steps of a preview
constexpr auto kPatience = std::chrono::milliseconds(700);  // for methods that take long
constexpr int kSamples = 100;                               // samples of the poses
constexpr std::size_t kDirections = 162;
constexpr double kLargest = 1e6;  // m, largest body that is shown completely

/// s: of the preview, which ends with the scene.
double horizon(const Scene& scene) { return std::min(kHorizon, scene.duration); }

/// The outermost points so far, one per direction.
class Hull {
 public:
  Hull() {
    for (std::size_t i = 0; i < kDirections; ++i) {  // a spiral from pole to pole: all about equally far apart
      const double z = 1 - (2 * static_cast<double>(i) + 1) / static_cast<double>(kDirections);
      const double angle = static_cast<double>(i) * std::numbers::pi * (3 - std::sqrt(5.0)), r = std::sqrt(1 - z * z);
      direction_[i] = {r * std::cos(angle), z, r * std::sin(angle)};
      reach_[i] = -std::numeric_limits<double>::infinity();
    }
  }
  void add(const Vec3& p) {
    if (!std::isfinite(length(p))) return;
    empty_ = false;
    for (std::size_t i = 0; i < kDirections; ++i)
      if (const double reach = dot(direction_[i], p); reach > reach_[i]) {
        reach_[i] = reach;
        point_[i] = p;
      }
  }
  bool empty() const { return empty_; }
  const std::array<Vec3, kDirections>& points() const { return point_; }
  Aabb box() const {
    Aabb box{point_[0], point_[0]};
    for (const Vec3& p : point_)
      for (int k = 0; k < 3; ++k) {
        box.lower[k] = std::min(box.lower[k], p[k]);
        box.upper[k] = std::max(box.upper[k], p[k]);
      }
    return box;
  }

 private:
  std::array<Vec3, kDirections> direction_, point_;
  std::array<double, kDirections> reach_;
  bool empty_ = true;
};

/// The corners of a body's bounds, turned with it; none for an infinite body.
template <class F> void for_each_corner(const World& world, BodyId id, F f) {
  const Aabb& bounds = world.body_def(id).shape->local_bounds();
  if (!(length(bounds.upper) < kLargest && length(bounds.lower) < kLargest)) return;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = (corner >> k & 1) != 0 ? bounds.upper[k] : bounds.lower[k];
    f(world.to_world(id, p));
  }
}

void add_moving(const World& world, Hull& hull) {
  for (const BodyId id : world.bodies())
    if (!world.is_fixed(id) && world.is_active(id)) for_each_corner(world, id, [&](const Vec3& p) { hull.add(p); });
}

/// Where joints hold bodies to what is fixed.
void add_anchors(const World& world, Hull& hull) {
  for (const JointId id : world.joints()) {
    const JointDef& joint = world.joint(id);
    if (world.is_fixed(joint.a) && !world.is_fixed(joint.b))
      hull.add(world.to_world(joint.a, joint.frame_a.translation));
    if (world.is_fixed(joint.b) && !world.is_fixed(joint.a))
      hull.add(world.to_world(joint.b, joint.frame_b.translation));
  }
}

/// Includes the fixed bodies that are near moving ones and not much larger than them: stairs, belts, slopes, walls.
void add_fixed(const World& world, Hull& hull) {
  if (hull.empty()) return;
  const Aabb box = hull.box();
  const double size = length(box.upper - box.lower);
  for (const BodyId id : world.bodies()) {
    if (!world.is_fixed(id) || id == world.world_body() || id == world.ground()) continue;
    Hull own;
    for_each_corner(world, id, [&](const Vec3& p) { own.add(p); });
    if (own.empty()) continue;
    const Aabb bounds = own.box();
    bool near = length(bounds.upper - bounds.lower) < 1.6 * size;
    for (int k = 0; k < 3; ++k)
      near = near && bounds.lower[k] < box.upper[k] + 0.25 * size && bounds.upper[k] > box.lower[k] - 0.25 * size;
    if (near) for_each_corner(world, id, [&](const Vec3& p) { hull.add(p); });
  }
}

/// Bodies that fall come to rest on the ground.
void add_fall(const World& world, Hull& hull) {
  if (hull.empty() || !world.contains(world.ground()) || length(gravity_of(world)) == 0) return;
  const Vec3 up = rotate(world.orientation(world.ground()), {0, 1, 0}), origin = world.position(world.ground());
  const auto points = hull.points();
  for (const Vec3& p : points)
    if (const double height = dot(up, p - origin); height > 0) hull.add(p - up * height);
}

/// Seconds simulated.
double simulate(const Scene& scene, Hull& hull) {
  const auto begin = std::chrono::steady_clock::now();
  Simulation simulation = make_simulation(scene);
  const double step = simulation.time_settings().step;
  const double most = std::floor(std::min(horizon(scene) / step, kMostBodySteps / scene.world.body_count()));
  const auto steps = static_cast<std::int64_t>(most), every = std::max<std::int64_t>(1, steps / kSamples);
  for (std::int64_t i = 1; i <= steps; ++i) {
    simulation.step();
    if (i % every == 0 || i == steps) add_moving(simulation.world(), hull);
    if (std::chrono::steady_clock::now() - begin > kPatience) break;
  }
  return simulation.time();
}

}  // namespace

Json describe_motion(const Scene& scene) {
  Hull hull;
  add_moving(scene.world, hull);
  add_anchors(scene.world, hull);
  double seconds = 0;
  try {
    seconds = simulate(scene, hull);
  } catch (const std::exception&) {  // the session itself will report it
  }
  if (seconds < 0.9 * horizon(scene)) add_fall(scene.world, hull);
  add_fixed(scene.world, hull);
  Json json = {{"seconds", seconds}, {"points", Json::array()}};
  if (!hull.empty())
    for (const Vec3& p : hull.points())
      for (int k = 0; k < 3; ++k) json["points"].push_back(p[k]);
  return json;
}

}  // namespace rigor::viewer
