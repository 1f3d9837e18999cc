#include "lab/torture/shrink.h"

#include <algorithm>

#include "lab/scene_bench.h"

namespace rigor {

namespace {

using Fails = std::function<bool(const Scene&)>;
using Change = std::function<void(Scene&)>;

/// Keeps a change if the world still fails.
bool attempt(Scene& scene, const Fails& fails, const Change& change) {
  Scene changed = scene;
  try {
    change(changed);
  } catch (const Error&) {
    return false;  // an invalid world
  }
  if (!fails(changed)) return false;
  scene = std::move(changed);
  return true;
}

/// Bodies besides the ground: those with a mass and fixed ones.
std::vector<BodyId> removable(const World& world) {
  std::vector<BodyId> ids = world.bodies();
  std::erase_if(ids, [&](BodyId id) { return id == world.world_body(); });
  return ids;
}

/// Tries ever smaller groups: halves, quarters, …, one after the other.
template <class Ids, class Remove> bool remove_groups(Scene& scene, const Fails& fails, Ids ids_of, Remove remove) {
  bool any = false;
  for (std::size_t group = std::max<std::size_t>(1, ids_of(scene.world).size() / 2);; group /= 2) {
    for (std::size_t begin = 0; begin < ids_of(scene.world).size();) {
      const auto ids = ids_of(scene.world);
      const std::size_t end = std::min(begin + group, ids.size());
      const bool gone = attempt(scene, fails, [&](Scene& s) {
        for (std::size_t i = begin; i < end; ++i) remove(s.world, ids[i]);
      });
      any = any || gone;
      if (!gone) begin = end;
    }
    if (group <= 1) return any;
  }
}

bool shorten(Scene& scene, const Fails& fails) {
  bool any = false;
  for (const double factor : {0.5, 0.75, 0.9})
    while (scene.duration > 2 * scene.time.step && attempt(scene, fails, [&](Scene& s) { s.duration *= factor; }))
      any = true;
  return any;
}

/// Changes one body at a time, if that has an effect.
bool calm_bodies(Scene& scene, const Fails& fails) {
  bool any = false;
  const auto change = [&](bool is_needed, const std::function<void(World&)>& apply) {
    if (is_needed) any = attempt(scene, fails, [&](Scene& s) { apply(s.world); }) || any;
  };
  for (const BodyId id : removable(scene.world)) {
    const World& w = scene.world;
    const Vec3 v = w.velocity(id), omega = w.angular_velocity(id);
    change(v != Vec3{}, [&](World& x) { x.set_velocity(id, {}, omega); });
    change(omega != Vec3{}, [&](World& x) { x.set_velocity(id, x.velocity(id), {}); });
    for (double Material::*field : {&Material::rolling_friction, &Material::restitution, &Material::friction})
      change(w.body_def(id).material.*field != 0, [&](World& x) {
        Material m = x.body_def(id).material;
        m.*field = 0;
        x.set_material(id, m);
      });
    change(w.orientation(id) != Quat{}, [&](World& x) { x.set_pose(id, x.position(id), {}); });
  }
  return any;
}

/// Every limit, motor, spring and friction of a joint's axes.
bool plain_joints(Scene& scene, const Fails& fails) {
  bool any = false;
  for (const JointId id : scene.world.joints())
    for (std::size_t k = 0; k < 6; ++k)
      for (int what = 0; what < 4; ++what) {
        const auto* axes = std::get_if<AxesJoint>(&scene.world.joint(id).kind);
        if (!axes) continue;
        AxesJoint plain = *axes;
        JointAxis& axis = plain.axes[k];
        if (what == 0) axis.motor = {};
        if (what == 1) axis.spring = {};
        if (what == 2) axis.friction = 0;
        if (what == 3 && axis.motion == AxisMotion::limited) {
          axis.motion = AxisMotion::free;
          axis.lower = JointAxis{}.lower;
          axis.upper = JointAxis{}.upper;
        }
        if (plain == *axes) continue;
        any = attempt(scene, fails, [&](Scene& s) { s.world.set_joint(id, plain); }) || any;
      }
  return any;
}

bool plain_world(Scene& scene, const Fails& fails) {
  bool any = false;
  if (scene.method.sleep.name != "never") any = attempt(scene, fails, [](Scene& s) { s.method.sleep = {"never", {}}; });
  if (!(scene.world.material_rules() == MaterialRules{}))
    any = attempt(scene, fails, [](Scene& s) { s.world.set_material_rules({}); }) || any;
  return any;
}

}  // namespace

Scene shrink(Scene scene, const Fails& fails) {
  constexpr int kMostRounds = 5;  // chosen: later ones hardly find anything
  for (int round = 0; round < kMostRounds; ++round) {
    bool any = shorten(scene, fails);
    any = remove_groups(scene, fails, removable, [](World& w, BodyId id) { w.remove_body(id); }) || any;
    any = remove_groups(
              scene, fails, [](const World& w) { return w.joints(); },
              [](World& w, JointId id) {
                if (w.contains(id)) w.remove_joint(id);
              }) ||
          any;
    any = plain_joints(scene, fails) || any;
    any = calm_bodies(scene, fails) || any;
    any = plain_world(scene, fails) || any;
    if (!any) break;
  }
  return scene;
}

}  // namespace rigor
