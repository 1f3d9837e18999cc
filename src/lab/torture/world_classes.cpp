#include "lab/torture/world_classes.h"

#include "lab/torture/draw.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

constexpr WorldClass kClasses[] = {
    {"mild", "1 to 40 bodies of mixed shapes dropped on a plane or on boxes; no joints, overlaps or fast spins", 1,
     build_mild},
    {"heaps", "100 to 300 bodies of mixed shape and size that fall onto each other", 2, build_heaps},
    {"wild", "fast bodies and spins, overlaps, sizes over three decades and densities over five", 3, build_wild},
    {"joints", "single joints, chains and trees of every joint type, with limits, motors, springs and friction", 4,
     build_joints},
    {"loops", "four-bars, rings, nets, bridges and redundant joints", 5, build_loops},
    {"terrain", "bodies thrown on meshes, height fields, tilted planes, fixed boxes, turntables, lifts and belts", 6,
     build_terrain},
    {"everyday", "pencils, coins, cards, bolts, doors, trolleys in their real sizes, alone, in heaps, in a bowl", 7,
     build_everyday},
    {"flight", "trees, loops and colliding heaps without gravity or ground: momentum is conserved", 8, build_flight},
    {"plain", "boxes, balls, capsules and joints without extras: what every engine of --against can hold", 9,
     build_plain},
    {"driven", "bodies of infinite mass that move: closing walls, presses, mills, lifts, haulers, traffic", 10,
     build_driven},
};

/// Most worlds step by 1/60 s or near it.
double draw_step(Draw& draw) {
  constexpr double kRates[] = {240, 200, 120, 120, 100, 60, 60, 60, 60, 50, 50, 30, 30, 25, 20};
  return 1 / draw.pick(kRates);
}

/// Neighbouring seeds must not give neighbouring states: SplitMix64 adds a constant to its state at every draw.
std::uint64_t scrambled(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
  return x ^ (x >> 33);
}

}  // namespace

std::span<const WorldClass> world_classes() { return kClasses; }

const WorldClass& find_world_class(std::string_view name) {
  std::vector<std::string> known;
  for (const WorldClass& kind : kClasses) {
    if (kind.name == name) return kind;
    known.emplace_back(kind.name);
  }
  throw Error(unknown_name("class", std::string(name), known));
}

Scene make_random_world(const WorldClass& kind, std::uint64_t seed) {
  Draw draw(scrambled(scrambled(seed) + kind.salt));
  Scene scene;
  scene.name = std::string(kind.name) + "-" + std::to_string(seed);
  scene.description = std::string("a random world: ") + kind.description;
  scene.time.step = draw_step(draw);
  scene.duration = draw.between(4, 8);
  const bool sleeps = draw.chance(0.5);
  kind.build(scene, draw);
  scene.method = default_method();
  if (!sleeps) scene.method.sleep = {"never", {}};
  return scene;
}

}  // namespace rigor
