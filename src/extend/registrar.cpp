// Registration at run time, from a program or from a shared library.
#include "rigor/extend/registrar.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "extend/adapters.h"
#include "registry/entry.h"
#include "registry/extension_call.h"
#include "rigor/error.h"
#include "rigor/extend/plugin.h"

namespace rigor {

namespace {

using Adapt = std::unique_ptr<Configurable> (*)(const Extension&);

/// Null for kinds that an extension cannot add. Shapes are used as they are; see model/support_shape.cpp.
Adapt adapter_of(Kind kind) {
  switch (kind) {
    case Kind::integrator: return adapt_integrator;
    case Kind::solver: return adapt_solver;
    case Kind::lcp: return adapt_lcp;
    case Kind::stepping: return adapt_step;
    case Kind::joint: return adapt_joint;
    case Kind::broadphase: return adapt_broadphase;
    case Kind::narrowphase: return adapt_narrowphase;
    case Kind::sleep: return adapt_sleep;
    case Kind::validator: return adapt_validator;
    default: return nullptr;
  }
}

bool is_name(const std::string& name) {
  return !name.empty() && name.size() <= 40 && name.front() != '-' && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// Collects entries and refuses invalid ones.
class Collector final : public extend::Registrar {
 public:
  void add(Kind kind, const extend::About& about, extend::Make make) override {
    const std::string place = extension_name(kind, about.name.substr(0, 60));
    if (!is_name(about.name))
      throw Error(place, "a name has lower-case letters, digits and hyphens, at most 40 of them");
    if (!make) throw Error(place, "it has no maker");
    const Adapt adapt = adapter_of(kind);
    if (!adapt && kind != Kind::shape) throw Error(place, "an extension cannot add this kind");
    Entry e{kind, about.name, about.description, about.reference, about.capabilities, {}, {}, about.limitations};
    if (kind == Kind::solver) complete_solver(e, place);
    if (kind == Kind::shape) e.capabilities = {"volume", "convex"};
    e.make = [adapt, extension = Extension{about.name, std::move(make)}] {
      return adapt ? adapt(extension) : extension.make();
    };
    check_default(e, place);
    entries_.push_back(std::move(e));
  }

  std::vector<Entry> take() { return std::move(entries_); }

 private:
  static void complete_solver(Entry& e, const std::string& place) {
    for (const std::string& c : e.capabilities)
      if (c.starts_with("level:") && c != "level:velocity")
        throw Error(place, "solvers of extensions work at velocity level, not with '" + c + "'");
    if (!has_capability(e, "level:velocity")) e.capabilities.insert(e.capabilities.begin(), "level:velocity");
    const auto has_task = [&](const char* task) { return has_capability(e, task); };
    if (!has_task("collision") && !has_task("contact") && !has_task("joint"))
      throw Error(place, "a solver needs one of the capabilities collision, contact, joint");
  }
  /// Makes an instance and visits its parameters, so that later calls do not fail.
  static void check_default(const Entry& e, const std::string& place) {
    try {
      const std::unique_ptr<Configurable> object = e.make();
      if (!object) throw Error("its maker returned nothing");
      configure(*object, settings_of(*object), "");
    } catch (const std::exception& error) {
      throw Error(place, std::string("a default instance cannot be made: ") + error.what());
    }
  }

  std::vector<Entry> entries_;
};

/// The reason in dlerror() without the leading name of the file.
std::string reason_of_loader(const std::string& file) {
  const char* text = dlerror();
  std::string reason = text ? text : "unknown reason";
  for (const std::string& prefix : {std::filesystem::absolute(file).string() + ": ", file + ": "})
    if (reason.starts_with(prefix)) reason.erase(0, prefix.size());
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return reason;
}

/// Closes a library unless keep() was called.
class Library {
 public:
  explicit Library(const std::string& file)
      : handle_(dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (handle_) dlclose(handle_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  bool is_open() const { return handle_ != nullptr; }
  const void* symbol(const char* name) const { return dlsym(handle_, name); }
  void keep() { handle_ = nullptr; }

 private:
  void* handle_;
};

void check_info(const extend::PluginInfo& info, const std::string& place) {
  if (info.magic != extend::kPluginMagic) throw Error(place, "its symbol 'rigor_plugin' was not made by RIGOR_PLUGIN");
  if (info.abi != extend::kAbi)
    throw Error(place, "it was built for version " + std::to_string(info.abi) +
                           " of the extension interface, and this program has version " + std::to_string(extend::kAbi) +
                           "; build it again");
  if (info.layout != extend::layout_fingerprint())
    throw Error(place, "it was built with other headers or another standard library than this program; build it again");
  if (!info.add_all) throw Error(place, "it registers nothing");
}

}  // namespace

void enroll(const std::function<void(extend::Registrar&)>& add_all) {
  Collector collector;
  add_all(collector);
  add_entries(collector.take());
}

void load_plugin(const std::string& file) {
  const std::string place = "plugin '" + file + "'";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) throw Error(place, "there is no such file");
  if (!std::filesystem::is_regular_file(file, ignored)) throw Error(place, "it is not a file");
  Library library(file);
  if (!library.is_open()) throw Error(place, "it cannot be loaded: " + reason_of_loader(file));
  const void* symbol = library.symbol("rigor_plugin");
  if (!symbol) throw Error(place, "it has no symbol 'rigor_plugin', which RIGOR_PLUGIN makes");
  const auto& info = *static_cast<const extend::PluginInfo*>(symbol);
  check_info(info, place);
  try {
    enroll(info.add_all);
  } catch (const std::exception& e) {
    throw Error(place, e.what());
  } catch (...) {
    throw Error(place, "it threw something that is not a std::exception");
  }
  library.keep();  // its code is in use from now on
}

}  // namespace rigor
