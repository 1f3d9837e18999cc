// The JSON Schema of appearance and sensors.
#include <span>

#include "io/appearance_parts.h"
#include "io/schema_parts.h"

namespace rigor {

namespace {

Json words(std::span<const char* const> names, const std::string& description) {
  Json list = Json::array();
  for (const char* name : names) list.push_back(name);
  return {{"description", description}, {"enum", std::move(list)}};
}

Json color(const std::string& description) {
  return {{"description", description}, {"type", "string"}, {"pattern", "^#[0-9a-fA-F]{6}$"}};
}

Json texture() {
  return schema_object("the pattern or picture of a material",
                       {{"pattern", words(kPatternNames, "what is drawn")},
                        {"color", color("first colour")},
                        {"second_color", color("second colour of a checker or gradient")},
                        {"mark", words(kMarkNames, "drawn over the pattern")},
                        {"mark_color", color("colour of the mark")},
                        {"tint", color("by which all colours are multiplied")},
                        {"image", {{"description", "bytes of a PNG or JPEG file in base64"}, {"type", "string"}}},
                        {"file", schema_name("a PNG or JPEG file")},
                        {"image_of", schema_name("the texture whose picture it shows")},
                        {"on_each_side", schema_flag(false, "on each of the six sides; otherwise along the z axis")},
                        {"repeat", schema_numbers(2, kRepeatRange, "repeats over the shape, or per metre")},
                        {"per_metre", schema_flag(false, "\"repeat\" is per metre")}});
}

Json light() {
  return schema_object("a light",
                       {{"name", schema_name("its name")},
                        {"body", schema_name("the body that carries it; the world unless given")},
                        {"turns", schema_flag(true, "false: it moves with the body but keeps its direction")},
                        {"directional", schema_flag(false, "true: a far sun, false: a spot")},
                        {"position", schema_vector(kPositionRange, "m, in the body's frame")},
                        {"direction", schema_vector(kPositionRange, "in which it shines, in the body's frame")},
                        {"color", color("colour and brightness")},
                        {"cutoff_deg", schema_number(kCutoffRangeDeg, "°, from the middle to the edge of a spot")},
                        {"shadows", schema_flag(true, "it casts shadows")}});
}

Json mounted_camera() {
  return schema_object(
      "a camera that a body carries",
      {{"name", schema_name("its name")},
       {"body", schema_name("the body that carries it; the world unless given")},
       {"mode", words(kCameraModeNames, "turns with the body, only moves with it, or looks at \"target\"")},
       {"position", schema_vector(kPositionRange, "m, in the body's frame")},
       {"orientation", schema_reference("orientation")},
       {"target", schema_name("the body that it looks at")},
       {"fov_deg", schema_number(kFovRangeDeg, "°, vertical angle of view")}},
      {"name"});
}

}  // namespace

Json schema_of_appearance() {
  return schema_object(
      "how the scene is drawn",
      {{"textures",
        {{"description", "textures by the name of a material"},
         {"type", "object"},
         {"additionalProperties", texture()}}},
       {"sky", schema_object("the background", {{"top", color("at the zenith")}, {"bottom", color("at the nadir")}})},
       {"headlight", schema_object("the light at the camera",
                                   {{"color", color("its colour")}, {"ambient", color("light without a direction")}})},
       {"lights", schema_list(light(), "lights instead of the viewer's own sun")},
       {"cameras", schema_list(mounted_camera(), "cameras to look through")}});
}

Json schema_of_sensors() {
  return schema_list(
      schema_object(
          "a sensor; the table \"sensors\" records it",
          {{"name", schema_name("its name")},
           {"type", words(kSensorTypeNames, "what it measures")},
           {"body", schema_name("the body that carries it; the world unless given")},
           {"position", schema_vector(kPositionRange, "m, of its frame in the body's")},
           {"orientation", schema_reference("orientation")},
           {"zone", schema_reference("shape")},
           {"joint", schema_name("the joint that it measures")},
           {"axis", schema_axis(0, "the coordinate of the joint; the free one unless given")},
           {"factor", schema_number(kPositionRange, "by which the value is multiplied")},
           {"offset", schema_number(kPositionRange, "that is added to a position")},
           {"rate", schema_number(kSensorRateRange,
                                  "1/s, at most so often the reading changes; at each reading unless given")}},
          {"name", "type"}),
      "sensors");
}

}  // namespace rigor
