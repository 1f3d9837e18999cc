#pragma once

#include <map>
#include <string>
#include <utility>

#include "rigor/math.h"

namespace rigor {

/// The density of a body and the properties of its surface (7.4.1, "Material properties").
struct Material {
  std::string name = "default";
  double density = 1000;         // kg/m³
  double friction = 0.5;         // Coulomb coefficient, kinetic; -
  double static_friction = -1;   // -; negative: the same as `friction`
  double restitution = 0;        // Newton's coefficient; 0..1
  double rolling_friction = 0;   // m, lever arm of the normal force against rolling
  double spinning_friction = 0;  // m, lever arm of the normal force against spinning about the normal
  Vec3 grain{};  // body frame; friction is the given one along it and friction · friction_across across it
  double friction_across = 1;  // -; ignored without a grain
  Vec3 surface_velocity{};     // m/s, body frame: velocity of the surface relative to the body, as of a conveyor belt

  bool operator==(const Material&) const = default;
};

/// The rules that combine two materials in one contact.
enum class Combine { minimum, maximum, mean, product };

/// 7.4.1, MaterialCombiner. The standard one takes the larger friction and the smaller restitution.
struct MaterialRules {
  /// Values for a pair of named materials that replace the combined ones; negative: the combined value.
  struct Pair {
    double friction = -1, static_friction = -1, restitution = -1;

    bool operator==(const Pair&) const = default;
  };
  Combine friction = Combine::maximum, restitution = Combine::minimum;
  std::map<std::pair<std::string, std::string>, Pair> pairs;  // by the materials' names, in any order

  bool operator==(const MaterialRules&) const = default;
};

/// Throws Error when a number is not finite or out of range.
void check(const Material& material, const std::string& place);

}  // namespace rigor
