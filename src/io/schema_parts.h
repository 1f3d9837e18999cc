// The parts of the JSON Schema of scene files. Its limits are those of the reader; methods and forces come from the registry.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "rigor/registry.h"

namespace rigor {

/// An object with these properties and no others.
Json schema_object(const std::string& description, Json properties, const std::vector<std::string>& required = {});
Json schema_number(const Range& range, const std::string& description);
Json schema_integer(std::int64_t min, std::int64_t max, const std::string& description);
/// A coordinate of a joint, by its number or name.
Json schema_axis(std::int64_t min, const std::string& description);
/// Exactly `count` numbers.
Json schema_numbers(std::size_t count, const Range& range, const std::string& description);
Json schema_vector(const Range& range, const std::string& description);
Json schema_flag(bool usual, const std::string& description);
Json schema_name(const std::string& description);
Json schema_list(Json items, const std::string& description);
/// A definition of the same schema.
Json schema_reference(const std::string& definition);
/// The parameters of a registered method or force as properties.
Json schema_parameters(const MethodInfo& info);

// The definitions, each in the file of its part.
Json schema_of_orientation();
Json schema_of_shapes();
Json schema_of_material();
/// Friction and the like, as materials and the ground have it.
Json schema_of_surface();
Json schema_of_material_rules();
Json schema_of_joint();
Json schema_of_body(bool is_template);
Json schema_of_generators();
Json schema_of_force();
Json schema_of_method();

}  // namespace rigor
