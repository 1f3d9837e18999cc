// One adapter per kind: it implements the library's interface by calling an extension's, and checks the results.
#pragma once

#include "registry/entry.h"
#include "rigor/error.h"
#include "rigor/extend/registrar.h"

namespace rigor {

/// The data that an adapter is made from: the extension's name and its maker.
struct Extension {
  std::string name;
  extend::Make make;

  /// Makes a new instance; Error if the maker returns none.
  template <class Interface> std::unique_ptr<Interface> instance() const {
    std::unique_ptr<Configurable> made = make();
    if (!made) throw Error(name, "its maker returned nothing");
    return std::unique_ptr<Interface>(static_cast<Interface*>(made.release()));
  }
};

std::unique_ptr<Configurable> adapt_integrator(const Extension& extension);
std::unique_ptr<Configurable> adapt_solver(const Extension& extension);
std::unique_ptr<Configurable> adapt_lcp(const Extension& extension);
std::unique_ptr<Configurable> adapt_step(const Extension& extension);
std::unique_ptr<Configurable> adapt_joint(const Extension& extension);
std::unique_ptr<Configurable> adapt_broadphase(const Extension& extension);
std::unique_ptr<Configurable> adapt_narrowphase(const Extension& extension);
std::unique_ptr<Configurable> adapt_sleep(const Extension& extension);
std::unique_ptr<Configurable> adapt_validator(const Extension& extension);

}  // namespace rigor
