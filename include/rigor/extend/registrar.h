// Registration at run time. What is registered appears in rigor::methods(), in scene files, in snapshots, on the command line, in the
// viewer and in the conformance tests, like everything built in.
//
//   rigor::enroll([](rigor::extend::Registrar& r) {
//     r.add<Heun>({"heun", "Heun's method, order 2", "Heun 1900", {"order:2"}});
//   });
//
// Register before simulations are made: registration is not thread-safe, also not against threads that read the registry.
// Nothing can be removed from the registry, because worlds and methods may use it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rigor/fields.h"
#include "rigor/registry.h"

namespace rigor {

namespace extend {

/// The identity of a method.
struct About {
  std::string name;         // lower-case letters, digits and hyphens; unique within its kind
  std::string description;  // one line
  std::string reference;    // the paper or another source
  std::vector<std::string> capabilities = {};
  std::vector<std::string> limitations = {};  // what it does not simulate, a phrase each
};

/// Makes an instance with default parameters.
using Make = std::function<std::unique_ptr<Configurable>()>;

class Registrar {
 public:
  virtual ~Registrar() = default;
  /// T is derived from one of the interfaces of rigor/extend and has a default constructor. Error if the name is taken.
  template <class T> void add(const About& about) {
    add(T::kKind, about, [] { return std::unique_ptr<Configurable>(std::make_unique<T>()); });
  }
  /// The same with a custom maker, whose objects have to implement the interface of `kind`.
  virtual void add(Kind kind, const About& about, Make make) = 0;
};

}  // namespace extend

/// Registers all that `add_all` adds, or nothing: an Error if a name is taken or a default instance cannot be made.
void enroll(const std::function<void(extend::Registrar&)>& add_all);

/// Loads a shared library that has a RIGOR_PLUGIN (rigor/extend/plugin.h) and registers what it brings. An Error in one sentence if it
/// cannot be used: no such file, not a library, not a plugin, built for another version, a name taken. The library stays loaded.
void load_plugin(const std::string& file);

}  // namespace rigor
