#pragma once

#include <string>

namespace rigor {

/// What a body is made of and how its surface behaves (7.4.1, "Material properties").
struct Material {
  std::string name = "default";
  double density = 1000;        // kg/m³
  double friction = 0.5;        // Coulomb coefficient, kinetic; -
  double static_friction = -1;  // -; negative: the same as `friction`
  double restitution = 0;       // Newton's coefficient; 0..1

  bool operator==(const Material&) const = default;
};

/// Throws Error when a number is not finite or out of range.
void check(const Material& material, const std::string& place);

}  // namespace rigor
