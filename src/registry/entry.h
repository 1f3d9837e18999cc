// The entry of a method in the registry: its name, description and factory.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rigor/method.h"
#include "rigor/registry.h"

namespace rigor {

struct Entry {
  Kind kind;
  std::string name;
  std::string description;  // one line
  std::string reference;    // the paper or chapter
  std::vector<std::string> capabilities;
  std::function<std::unique_ptr<Configurable>()> make;  // with default parameters; null for built-in shapes and presets
  std::vector<Parameter> parameters;                    // only where there is no `make` to ask
  std::vector<std::string> limitations = {};            // what it does not simulate, a phrase each
};

/// For Entry::make.
template <class T> std::unique_ptr<Configurable> make_default() { return std::make_unique<T>(); }

/// Every entry: those of all_methods.inc in that order, then those registered at run time. References stay valid.
const std::deque<Entry>& entries();
/// Appends entries. Throws an Error and adds nothing if a name is taken within its kind.
void add_entries(std::vector<Entry> added);
/// Throws an Error with similar names if there is none.
const Entry& entry(Kind kind, std::string_view name, const std::string& place);

/// A configured instance of the method that `choice` names. `Interface` is the interface of that kind.
template <class Interface>
std::unique_ptr<Interface> create(Kind kind, const Choice& choice, const std::string& place) {
  std::unique_ptr<Configurable> object = entry(kind, choice.name, place).make();
  configure(*object, choice.settings, place);
  return std::unique_ptr<Interface>(static_cast<Interface*>(object.release()));
}

}  // namespace rigor
