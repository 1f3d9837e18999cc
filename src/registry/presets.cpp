// The published systems by name: each a complete method with its source.
#include "registry/presets.h"

#include "rigor/error.h"

namespace rigor {

namespace {

struct Preset {
  const char* name;
  const char* description;
  const char* reference;
  Method (*make)();
};

Method with_integrator(const char* integrator) {
  Method m;
  m.integrator.name = integrator;
  m.broadphase.name = "none";
  return m;
}

constexpr Preset kPresets[] = {
    {"free-flight", "unconstrained motion that keeps energy and momentum to rounding; the default", "Simo, Wong 1991",
     [] { return with_integrator("energy-momentum"); }},
    {"free-flight-exact", "unconstrained motion, rotation by elliptic functions", "Jacobi 1850",
     [] { return with_integrator("exact-rotation"); }},
    {"course-notes", "unconstrained motion by Runge–Kutta of order four", "Baraff 1997, part I",
     [] { return with_integrator("rk4"); }},
};

constexpr const char* kDefaultPreset = "free-flight";

}  // namespace

std::vector<Entry> preset_entries() {
  std::vector<Entry> all;
  for (const Preset& p : kPresets) all.push_back({Kind::preset, p.name, p.description, p.reference, {}, nullptr, {}});
  return all;
}

Method preset(std::string_view name) {
  std::vector<std::string> known;
  for (const Preset& p : kPresets) {
    known.push_back(p.name);
    if (p.name != name) continue;
    Method m = p.make();
    m.preset = p.name;
    return m;
  }
  throw Error(unknown_name("preset", name, known));
}

Method default_method() { return preset(kDefaultPreset); }

}  // namespace rigor
