// The engines to measure against, by name.
#include "lab/peers/peer_scene.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

struct Peer {
  const char* name;
  const char* title;    // display name
  const char* package;  // Debian package
  const char* method;
  int iterations;  // 0: its method has none
  bool (*built)();
  std::unique_ptr<SceneEngine> (*make)(const Scene&, int iterations);
};

constexpr Peer kPeers[] = {
    {"bullet", "Bullet", "libbullet-dev", "sequential impulses", kBulletIterations, has_bullet_engine, bullet_engine},
    {"ode", "ODE", "libode-dev", "quick step", kOdeIterations, has_ode_engine, ode_engine},
    {"mujoco", "MuJoCo", "libmujoco-dev", "Newton's method", kMujocoIterations, has_mujoco_engine, mujoco_engine},
    {"dart", "DART", "libdart-collision-ode-dev", "Dantzig's method", kDartIterations, has_dart_engine, dart_engine},
};

}  // namespace

std::mutex& ode_library() {
  static std::mutex mutex;
  return mutex;
}

std::vector<std::string> peer_names() {
  std::vector<std::string> names;
  for (const Peer& peer : kPeers) names.emplace_back(peer.name);
  return names;
}

BenchEngine peer_engine(const std::string& name, const PeerSettings& settings) {
  for (const Peer& peer : kPeers) {
    if (name != peer.name) continue;
    if (!peer.built())
      throw PeerMissing("--against", std::string("this program was built without ") + peer.title + "; install " +
                                         peer.package + " and build it again");
    if (peer.iterations == 0) {
      if (settings.iterations > 0) throw Error(name, "its method has no iterations that could be set");
      return {name, peer.method, [make = peer.make](const Scene& scene) { return make(scene, 0); }};
    }
    const int iterations = settings.iterations > 0 ? settings.iterations : peer.iterations;
    return {name, std::string(peer.method) + ", " + std::to_string(iterations) + " iterations",
            [make = peer.make, iterations](const Scene& scene) { return make(scene, iterations); }};
  }
  throw Error("--against", unknown_name("engine", name, peer_names()));
}

}  // namespace rigor
