// The JSON Schema (draft 7) of scene files.
#include "io/appearance_parts.h"
#include "io/schema_parts.h"
#include "rigor/scene.h"

namespace rigor {

namespace {

Json ground() {
  Json properties = schema_of_surface();
  properties["material"] = schema_reference("material_or_name");
  Json object = schema_object("a ground with another material", std::move(properties));
  return {{"description", "the plane through the origin, normal along \"up\""},
          {"default", true},
          {"oneOf", Json::array({Json{{"type", "boolean"}}, std::move(object)})}};
}

Json drive() {
  Json key = schema_numbers(2, kPositionRange, "time in s, target in m, rad or a speed");
  Json sine = schema_object("offset + amplitude sin(2π frequency t + phase)",
                            {{"offset", schema_number(kPositionRange, "m, rad or a speed")},
                             {"amplitude", schema_number(kPositionRange, "m, rad or a speed")},
                             {"frequency", schema_number(kPositionRange, "1/s")},
                             {"phase", schema_number(kPositionRange, "rad")}});
  Json follow = schema_object("offset + ratio · coordinate of another joint",
                              {{"joint", schema_name("the joint that is followed")},
                               {"axis", schema_axis(-1, "its coordinate; -1: the first one that is not locked")},
                               {"ratio", schema_number(kPositionRange, "1, m or 1/m")},
                               {"offset", schema_number(kPositionRange, "m or rad")}},
                              {"joint"});
  Json csv = schema_object("a column of a table, as keys with straight lines between them",
                           {{"file", schema_name("a file with commas between the columns and a line of headings")},
                            {"column", schema_name("heading of the targets")},
                            {"time", schema_name("heading of the times in s; \"time\" unless given")}},
                           {"file", "column"});
  Json keys = schema_list(std::move(key), "key frames; times ascend");
  keys["minItems"] = 1;
  Json schema = schema_object("the target of a motor over time",
                              {{"joint", schema_name("a joint with a motor")},
                               {"axis", schema_axis(-1, "its coordinate; -1: the first one with a motor")},
                               {"keys", std::move(keys)},
                               {"smooth", schema_flag(true, "false: straight lines between the keys")},
                               {"repeat", schema_flag(false, "starts over at the first key after the last one")},
                               {"sine", std::move(sine)},
                               {"csv", std::move(csv)},
                               {"follow", std::move(follow)}},
                              {"joint"});
  schema["oneOf"] = Json::array();
  for (const char* kind : {"keys", "sine", "csv", "follow"})
    schema["oneOf"].push_back(Json{{"required", Json::array({kind})}});
  return schema;
}

Json world() {
  Json two_names = schema_list(schema_name("a body"), "two bodies");
  two_names["minItems"] = 2;
  two_names["maxItems"] = 2;
  return schema_object(
      "what is simulated",
      {{"up", {{"description", "the axis that points up"}, {"enum", {"x", "y", "z"}}, {"default", "y"}}},
       {"gravity", schema_vector(kAccelerationRange, "9.81 m/s² downwards unless given")},
       {"ground", ground()},
       {"materials",
        {{"description", "materials by name"},
         {"type", "object"},
         {"additionalProperties", schema_reference("material")}}},
       {"material_rules", schema_of_material_rules()},
       {"bodies", schema_list(schema_reference("body"), "bodies one by one")},
       {"most_bodies", schema_integer(1, kMaxBodies, "that generators may make; 100 000 unless given")},
       {"generate", schema_list(schema_reference("generator"), "many bodies from a few numbers")},
       {"joints", schema_list(schema_reference("joint"), "joints; gears after the joints that they couple")},
       {"ignore_collisions", schema_list(std::move(two_names), "pairs of bodies that do not collide")},
       {"drives", schema_list(drive(), "targets of motors over time")},
       {"forces", schema_list(schema_reference("force"), "force effects besides gravity")}});
}

Json run() {
  return schema_object("for how long",
                       {{"dt", schema_number(kStepRange, "size of a fixed time step, s")},
                        {"duration", schema_number(kDurationRange, "s")},
                        {"fixed", schema_flag(true, "false: the step size follows the time passed to advance()")},
                        {"min_step", schema_number(kStepRange, "shortest variable step, s")},
                        {"max_step", schema_number(kStepRange, "longest variable step, s")},
                        {"max_advance", schema_number(kDurationRange, "the most that one advance() simulates, s")},
                        {"speed_up", schema_number(kSpeedUpRange, "simulated seconds per second")}});
}

Json camera() {
  return schema_object(
      "the initial view",
      {{"position", schema_vector(kPositionRange, "position of the camera, m")},
       {"target", schema_vector(kPositionRange, "the point that the camera looks at, m")},
       {"direction", schema_vector(kPositionRange, "from the scene to the camera, which sees all of it")},
       {"use", schema_name("a camera of the appearance that is looked through at first")},
       {"follow", schema_name("a body that the camera follows")},
       {"trails", schema_list(schema_name("a body"), "bodies whose paths are drawn")}});
}

Json definitions() {
  return {{"orientation", schema_of_orientation()},
          {"shape", schema_of_shapes()},
          {"material", schema_of_material()},
          {"material_or_name",
           {{"description", "the name of a material, or its definition"},
            {"oneOf", Json::array({schema_name("one of \"materials\""), schema_reference("material")})}}},
          {"body", schema_of_body(false)},
          {"body_template", schema_of_body(true)},
          {"generator", schema_of_generators()},
          {"joint", schema_of_joint()},
          {"force", schema_of_force()},
          {"method", schema_of_method()}};
}

}  // namespace

std::string scene_schema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", "Rigor scene"}};
  schema.update(schema_object(
      "a scene: what is simulated, how, and for how long; SI units",
      {{"rigor", {{"description", "version of the format"}, {"const", 1}}},
       {"$schema", {{"description", "for editors"}, {"type", "string"}}},
       {"name", {{"type", "string"}, {"maxLength", kMaxNameLength}}},
       {"description", {{"description", "what to look for"}, {"type", "string"}, {"maxLength", kMaxTextLength}}},
       {"include", schema_list(Json{{"type", "string"}}, "scene files whose worlds are put before this one's")},
       {"world", world()},
       {"method", schema_reference("method")},
       {"run", run()},
       {"appearance", schema_of_appearance()},
       {"sensors", schema_of_sensors()},
       {"camera", camera()}},
      {"rigor"}));
  schema["definitions"] = definitions();
  return print_json(schema);
}

}  // namespace rigor
