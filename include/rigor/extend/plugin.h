// Makes a shared library a plugin, which `rigor VERB --plugin FILE.so` and rigor::load_plugin() load:
//
//   RIGOR_PLUGIN(registrar) {
//     registrar.add<Heun>({"heun", "Heun's method, order 2", "Heun 1900", {"order:2"}});
//   }
//
// The library links rigor::extend, not rigor::rigor: the program calls it, and it calls back through the interfaces that it
// receives. It has to be built with the headers of the program that loads it; the numbers below are compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rigor/extend/extend.h"

namespace rigor::extend {

/// Raised when an interface changes.
inline constexpr std::uint32_t kAbi = 1;
inline constexpr std::uint32_t kPluginMagic = 0x52474f52;

/// A hash of the layout of the shared types: it differs with other headers, another standard library or other flags.
constexpr std::uint64_t layout_fingerprint() {
  std::uint64_t hash = 14695981039346656037u;
  for (const std::uint64_t size : {sizeof(void*),          sizeof(std::string),  sizeof(std::vector<double>),
                                   sizeof(Make),           sizeof(Value),        sizeof(Settings),
                                   sizeof(Field),          sizeof(About),        sizeof(Bodies),
                                   sizeof(ConstBodies),    sizeof(ImpulseBlock), sizeof(ImpulseProblem),
                                   sizeof(Scratch),        sizeof(LcpProblem),   sizeof(JointFrames),
                                   sizeof(MassProperties), sizeof(rigor::Shape), sizeof(ProxyBounds),
                                   sizeof(Manifold),       sizeof(Contact),      sizeof(ContactList)})
    hash = (hash ^ size) * 1099511628211u;
  return hash;
}

struct PluginInfo {
  std::uint32_t magic = kPluginMagic, abi = kAbi;
  std::uint64_t layout = layout_fingerprint();
  void (*add_all)(Registrar&) = nullptr;
};

}  // namespace rigor::extend

#if defined(__GNUC__)
#define RIGOR_PLUGIN_EXPORT __attribute__((visibility("default")))
#else
#define RIGOR_PLUGIN_EXPORT
#endif

#define RIGOR_PLUGIN(registrar)                                                       \
  static void rigor_plugin_add_all(::rigor::extend::Registrar& registrar);            \
  extern "C" RIGOR_PLUGIN_EXPORT const ::rigor::extend::PluginInfo rigor_plugin;      \
  const ::rigor::extend::PluginInfo rigor_plugin = {.add_all = rigor_plugin_add_all}; \
  static void rigor_plugin_add_all(::rigor::extend::Registrar& registrar)
