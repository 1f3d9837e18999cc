// The parts of the scene writer: one function for each kind of object, which returns its JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "io/json_text.h"
#include "rigor/scene.h"

namespace rigor {

/// Writes whole numbers without a point, and others with as many digits as are needed to read back the same number.
Json to_json(double value);
Json to_json(const Vec3& v);
Json to_json(const Quat& q);
/// Distinguishes integers from numbers that happen to be whole.
Json to_json(const Value& value);

/// Error if the shapes of all bodies have so many numbers together that no scene file holds them: it repeats a shape for each body.
void refuse_large_shapes(const World& world);
Json write_shape(const Shape& shape, const std::map<std::string, Material>& materials);
/// Writes the name of the material if it is one of `materials`, and an object otherwise.
Json write_material(const Material& material, const std::map<std::string, Material>& materials);
Json write_body(const World& world, BodyId id, const std::map<std::string, Material>& materials);
/// Writes everything about a body except its name and shapes.
void write_body_numbers(const World& world, BodyId id, const std::map<std::string, Material>& materials, Json& body);
Json write_drive(const Drive& drive);
Json write_joint(const World& world, JointId id);
Json write_material_rules(const MaterialRules& rules);
Json write_force(const World& world, const ForceDef& def);
Json write_method(const Method& method);

}  // namespace rigor
