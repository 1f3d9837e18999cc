// The engines to measure against, by name.
#include "lab/peers/peer_scene.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

struct Peer {
  const char* name;
  const char* title;    // as people write it
  const char* package;  // Debian's
  const char* method;
  int iterations;
  bool (*built)();
  std::unique_ptr<SceneEngine> (*make)(const Scene&, int iterations);
};

constexpr Peer kPeers[] = {
    {"bullet", "Bullet", "libbullet-dev", "sequential impulses", kBulletIterations, has_bullet_engine, bullet_engine},
    {"ode", "ODE", "libode-dev", "quick step", kOdeIterations, has_ode_engine, ode_engine},
    {"mujoco", "MuJoCo", "libmujoco-dev", "Newton's method", kMujocoIterations, has_mujoco_engine, mujoco_engine},
};

}  // namespace

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
    const int iterations = settings.iterations > 0 ? settings.iterations : peer.iterations;
    return {name, std::string(peer.method) + ", " + std::to_string(iterations) + " iterations",
            [make = peer.make, iterations](const Scene& scene) { return make(scene, iterations); }};
  }
  throw Error("--against", unknown_name("engine", name, peer_names()));
}

}  // namespace rigor
