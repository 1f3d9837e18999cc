#include "lab/preset_lists.h"

#include "rigor/method.h"
#include "rigor/registry.h"

namespace rigor {

bool lets_bodies_meet(const std::string& name) { return preset(name).broadphase.name != "none"; }

std::vector<std::string> contact_presets() {
  std::vector<std::string> names;
  for (const MethodInfo& info : rigor::methods())
    if (info.kind == Kind::preset && lets_bodies_meet(info.name)) names.push_back(info.name);
  return names;
}

}  // namespace rigor
