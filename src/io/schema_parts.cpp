// Building blocks of the schema, and the parts from the registry.
#include "io/schema_parts.h"

#include <cmath>

#include "io/scene_parts.h"
#include "io/write_parts.h"
#include "registry/plain_fields.h"

namespace rigor {

namespace {

/// {"name": …} with the parameters of one method.
Json object_choice(const MethodInfo& info, bool needs_name) {
  Json properties = {{"name", {{"const", info.name}}}};
  properties.update(schema_parameters(info));
  return schema_object(info.description, std::move(properties),
                       needs_name ? std::vector<std::string>{"name"} : std::vector<std::string>{});
}

/// A name of this kind, or an object with parameters.
Json choice_of(Kind kind, bool needs_name) {
  Json names = Json::array(), objects = Json::array();
  for (const MethodInfo& info : methods()) {
    if (info.kind != kind) continue;
    names.push_back(info.name);
    objects.push_back(object_choice(info, needs_name));
  }
  Json all = Json::array({Json{{"enum", std::move(names)}}});
  for (Json& object : objects) all.push_back(std::move(object));
  return {{"description", "a " + std::string(to_string(kind)) + ", alone or with its parameters"},
          {"anyOf", std::move(all)}};
}

Json parameter_schema(const Parameter& p) {
  std::string words = p.description;
  if (!p.unit.empty() && p.unit != "1") words += ", " + p.unit;
  Json schema = {{"description", std::move(words)}};
  const double* number = std::get_if<double>(&p.default_value);
  if (!number || std::isfinite(*number)) schema["default"] = to_json(p.default_value);
  if (p.type == "flag") {
    schema["type"] = "boolean";
  } else if (p.type == "choice") {
    schema["enum"] = p.choices;
  } else if (p.type == "vector") {
    schema.update(schema_vector(kParameterRange, schema["description"]));
  } else {
    schema["type"] = p.type;
    if (p.min == kPositive)
      schema["exclusiveMinimum"] = 0;
    else if (p.min != -kUnbounded)
      schema["minimum"] = to_json(p.min);
    if (p.max != kUnbounded) schema["maximum"] = to_json(p.max);
  }
  return schema;
}

/// Turns fields into properties.
class FieldSchemas final : public FieldVisitor {
 public:
  Json properties = Json::object();

  void number(const std::string& name, double& v, const Field& f) override {
    add({name, "number", f.unit, v, f.min, f.max, {}, f.description});
  }
  void integer(const std::string& name, int& v, const Field& f) override {
    add({name, "integer", f.unit, std::int64_t{v}, f.min, f.max, {}, f.description});
  }
  void flag(const std::string& name, bool& v, const std::string& description) override {
    add({name, "flag", "", v, 0, 1, {}, description});
  }
  void choice(const std::string& name, std::string& v, const std::vector<std::string>& choices,
              const std::string& description) override {
    add({name, "choice", "", v, 0, 0, choices, description});
  }
  void vector(const std::string& name, Vec3& v, const Field& f) override {
    add({name, "vector", f.unit, v, f.min, f.max, {}, f.description});
  }

 private:
  void add(const Parameter& p) { properties[p.name] = parameter_schema(p); }
};

Json plain_method_fields() {
  FieldSchemas schemas;
  PlainMethodFields(default_method()).fields(schemas);
  return schemas.properties;
}

/// The keys of a force that are not parameters of its effect.
Json force_properties(const MethodInfo& info, bool pair) {
  Json properties = {{"type", {{"const", info.name}}}, {"name", schema_name("unique among forces")}};
  if (pair) {
    properties["a"] = schema_name("the first body, or \"world\"");
    properties["b"] = schema_name("the second body, or \"world\"");
  } else {
    properties["bodies"] = schema_list(schema_name("a body"), "acts on these bodies only");
    properties["except"] = schema_list(schema_name("a body"), "acts on all bodies but these");
  }
  properties.update(schema_parameters(info));
  properties["end_time"] = schema_number(kEndTimeRange, "when it ends, s");
  properties["remove"] = schema_flag(true, "removes the force when it has ended");
  properties["active"] = schema_flag(true, "false: has no effect");
  return properties;
}

void add_frames(Json& properties) {
  const auto vector = [&](const std::string& key, const std::string& words) {
    properties[key] = schema_vector(kAnchorRange, words);
  };
  for (const char* key : {"anchor", "axis", "axis2"}) {
    const bool point = std::string(key) == "anchor";
    const std::string what = point ? "point" : "direction";
    vector(key, "a " + what + " in world coordinates at the start" + (point ? ", m" : ""));
    vector(std::string(key) + "_a", "the " + what + " in coordinates of a" + (point ? ", m" : ""));
    vector(std::string(key) + "_b", "the " + what + " in coordinates of b" + (point ? ", m" : ""));
  }
  for (const char* key : {"frame_a", "frame_b"})
    properties[key] = schema_object(
        "the joint frame in coordinates of the body",
        {{"position", schema_vector(kPositionRange, "m")}, {"orientation", schema_reference("orientation")}});
}

Json joint_schema(const MethodInfo& info) {
  Json properties = {{"type", {{"const", info.name}}}, {"name", schema_name("unique among joints")}};
  std::vector<std::string> required = {"type"};
  if (has_capability(info, "gear")) {
    properties["first"] = schema_name("a joint listed before this one");
    properties["second"] = schema_name("another joint listed before this one");
    required.insert(required.end(), {"first", "second"});
  } else {
    properties["a"] = schema_name("the first body, or \"world\"");
    properties["b"] = schema_name("the second body, or \"world\"");
    required.insert(required.end(), {"a", "b"});
    add_frames(properties);
  }
  if (has_capability(info, "points")) {
    properties["points"] = schema_list(schema_vector(kAnchorRange, "m"), "the curve, in the joint frame of a");
    properties["points"]["minItems"] = 2;
    required.push_back("points");
  }
  properties.update(schema_parameters(info));
  properties["collide"] = schema_flag(false, "whether the two bodies collide with each other");
  properties["active"] = schema_flag(true, "false: has no effect");
  properties["break_force"] = schema_number(kStrengthRange, "the force at which it breaks, N; never unless given");
  properties["break_torque"] = schema_number(kStrengthRange, "the torque at which it breaks, N m; never unless given");
  properties["erp"] =
      schema_number(kErpRange, "the part of its error that one step removes; that of the method unless given");
  properties["broken"] = schema_flag(false, "true: has broken");
  return schema_object(info.description, std::move(properties), required);
}

}  // namespace

Json schema_object(const std::string& description, Json properties, const std::vector<std::string>& required) {
  Json schema = {{"description", description},
                 {"type", "object"},
                 {"properties", std::move(properties)},
                 {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

Json schema_number(const Range& range, const std::string& description) {
  return {{"description", description},
          {"type", "number"},
          {"minimum", to_json(range.min)},
          {"maximum", to_json(range.max)}};
}

Json schema_integer(std::int64_t min, std::int64_t max, const std::string& description) {
  return {{"description", description}, {"type", "integer"}, {"minimum", min}, {"maximum", max}};
}

Json schema_axis(std::int64_t min, const std::string& description) {
  return {{"description", description},
          {"oneOf", Json::array({schema_integer(min, 5, "0 to 2: along x, y, z; 3 to 5: about x, y, z"),
                                 Json{{"enum", kAxisNames}}})}};
}

Json schema_numbers(std::size_t count, const Range& range, const std::string& description) {
  Json item = schema_number(range, "");
  item.erase("description");
  return {{"description", description},
          {"type", "array"},
          {"items", std::move(item)},
          {"minItems", count},
          {"maxItems", count}};
}

Json schema_vector(const Range& range, const std::string& description) { return schema_numbers(3, range, description); }

Json schema_flag(bool usual, const std::string& description) {
  return {{"description", description}, {"type", "boolean"}, {"default", usual}};
}

Json schema_name(const std::string& description) {
  return {{"description", description}, {"type", "string"}, {"minLength", 1}, {"maxLength", kMaxNameLength}};
}

Json schema_list(Json items, const std::string& description) {
  return {{"description", description}, {"type", "array"}, {"items", std::move(items)}};
}

Json schema_reference(const std::string& definition) { return {{"$ref", "#/definitions/" + definition}}; }

Json schema_parameters(const MethodInfo& info) {
  Json properties = Json::object();
  for (const Parameter& p : info.parameters) properties[p.name] = parameter_schema(p);
  return properties;
}

Json schema_of_force() {
  Json all = Json::array();
  for (const MethodInfo& info : methods()) {
    if (info.kind != Kind::force) continue;
    const bool pair = has_capability(info, "pair");
    std::vector<std::string> required = {"type"};
    if (pair) required.insert(required.end(), {"a", "b"});
    Json force = schema_object(info.description, force_properties(info, pair), required);
    if (!pair) force["not"] = {{"required", Json::array({"bodies", "except"})}};
    all.push_back(std::move(force));
  }
  return {{"description", "a force effect"}, {"oneOf", std::move(all)}};
}

Json schema_of_joint() {
  Json all = Json::array();
  for (const MethodInfo& info : methods())
    if (info.kind == Kind::joint) all.push_back(joint_schema(info));
  return {{"description", "a joint between two bodies"}, {"oneOf", std::move(all)}};
}

Json schema_of_method() {
  Json presets = {{"description", "a complete method by name"}, {"enum", Json::array()}};
  for (const MethodInfo& info : methods())
    if (info.kind == Kind::preset) presets["enum"].push_back(info.name);
  Json properties = {{"preset", presets}};
  for (const MethodSlot& slot : method_slots()) properties[slot.key] = choice_of(slot.kind, false);
  properties.update(plain_method_fields());
  properties["validators"] = schema_list(choice_of(Kind::validator, true), "the validators that run after each step");
  Json object = schema_object("a preset with some of its parts replaced", std::move(properties));
  return {{"description", "how the world is simulated"},
          {"oneOf", Json::array({std::move(presets), std::move(object)})}};
}

}  // namespace rigor
