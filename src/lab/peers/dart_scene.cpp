// Loads DART's module if it exists; see dart/dart_module.h.
#include "lab/peers/peer_scene.h"

#ifdef RIGOR_HAVE_DART

#include <dlfcn.h>

#include <filesystem>

#include "lab/peers/dart/dart_module.h"
#include "rigor/error.h"

namespace rigor {

namespace {

/// The module is beside the program after a build, or in the library folder after an installation.
std::filesystem::path module_file() {
  std::error_code unknown;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", unknown).parent_path();
  const auto beside = folder / RIGOR_DART_MODULE;
  return std::filesystem::exists(beside, unknown) ? beside : folder / RIGOR_DART_INSTALLED / RIGOR_DART_MODULE;
}

MakeDartScene* load() {
  void* const module = dlopen(module_file().c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const make = module ? dlsym(module, kMakeDartScene) : nullptr;
  if (!make) throw PeerMissing("dart", std::string("the program's module for DART does not load: ") + dlerror());
  return reinterpret_cast<MakeDartScene*>(make);
}

bool may_collide(const PeerScene& scene, std::size_t a, std::size_t b) {
  const PeerBody &first = scene.bodies[a], &second = scene.bodies[b];
  return first.mass + second.mass > 0 && scene.world->may_collide(first.id, second.id);
}

}  // namespace

bool has_dart_engine() { return true; }
std::unique_ptr<SceneEngine> dart_engine(const Scene& scene, int) {
  static MakeDartScene* const make = load();
  const auto input = std::make_shared<DartInput>(scene);
  input->may_collide = may_collide;
  input->ode_library = &ode_library();
  return std::unique_ptr<SceneEngine>(make(input));
}

}  // namespace rigor

#else

namespace rigor {

bool has_dart_engine() { return false; }
std::unique_ptr<SceneEngine> dart_engine(const Scene&, int) { return nullptr; }

}  // namespace rigor

#endif
