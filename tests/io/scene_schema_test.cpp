// The schema and the reader agree, and the published copy is the one that the program makes.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "io/builtin_scenes.h"
#include "io/scene_bad_scenes.h"
#include "rigor/registry.h"
#include "rigor/scene.h"
#include "test_paths.h"

#if RIGOR_HAVE_VALIJSON
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#endif

namespace rigor {
namespace {

TEST(SceneSchema, PublishedCopyIsCurrent) {
  std::ifstream file(RIGOR_SOURCE_DIR "/docs/scene.schema.json", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(text.str() == scene_schema()) << "write it anew with: rigor schema > docs/scene.schema.json";
}

TEST(SceneSchema, NamesEveryForceAndMethod) {
  const std::string schema = scene_schema();
  for (const MethodInfo& info : methods()) {
    if (info.kind == Kind::broadphase || info.kind == Kind::narrowphase || info.kind == Kind::lcp) continue;
    EXPECT_NE(schema.find("\"" + info.name + "\""), std::string::npos) << info.name;
    if (info.kind != Kind::force && info.kind != Kind::joint) continue;
    for (const Parameter& p : info.parameters)
      EXPECT_NE(schema.find("\"" + p.name + "\": {"), std::string::npos) << p.name;
  }
}

/// Every object but the tables of materials and textures names all of its keys.
void expect_closed(const nlohmann::json& schema, const std::string& path) {
  if (schema.is_object() && schema.contains("type") && schema["type"] == "object") {
    ASSERT_TRUE(schema.contains("additionalProperties")) << path;
    const bool table = path.ends_with("/materials") || path.ends_with("/textures");
    EXPECT_EQ(schema["additionalProperties"] == false, !table) << path;
  }
  if (schema.is_structured())
    for (const auto& [key, value] : schema.items()) expect_closed(value, path + "/" + key);
}

TEST(SceneSchema, RefusesUnknownKeysEverywhere) { expect_closed(nlohmann::json::parse(scene_schema()), ""); }

#if RIGOR_HAVE_VALIJSON

class SceneSchemaValidation : public ::testing::Test {
 protected:
  SceneSchemaValidation() {
    const nlohmann::json json = nlohmann::json::parse(scene_schema());
    valijson::SchemaParser parser;
    parser.populateSchema(valijson::adapters::NlohmannJsonAdapter(json), schema_);
  }
  bool accepts(std::string_view text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    valijson::Validator validator;
    return validator.validate(schema_, valijson::adapters::NlohmannJsonAdapter(json), nullptr);
  }

  valijson::Schema schema_;
};

TEST_F(SceneSchemaValidation, AcceptsTheBuiltinScenesAndWhatIsWritten) {
  for (const BuiltinScene& scene : builtin_scenes()) {
    EXPECT_TRUE(accepts(scene.text)) << scene.name;
    EXPECT_TRUE(accepts(write_scene(parse_scene(scene.text)))) << scene.name;
  }
}

TEST_F(SceneSchemaValidation, AcceptsWhatTheReaderAccepts) {
  const std::string scenes[] = {
      R"({"rigor":1})",
      R"({"$schema":"x","rigor":1,"method":"course-notes"})",
      test::world(R"("up":"z","ground":{"material":"a","friction":0.1},"materials":{"a":{}},"joints":[])"),
      test::force(R"("type":"spring","a":"ball","b":"world","stiffness":1)"),
      test::joint(R"("type":"hinge","a":"ball","b":"world","anchor":[0,1,0],"axis_a":[0,0,1],"axis_b":[0,0,1])"),
      test::joint(R"("type":"path","a":"world","b":"ball","points":[[0,0,0],[1,0,0]],"broken":true)"),
      test::joint(R"("type":"six-dof","a":"world","b":"ball","frame_a":{},"frame_b":{"position":[1,0,0]},"rx":"free")"),
      test::world(
          R"("materials":{"x":{}},"material_rules":{"friction":"mean","pairs":[{"a":"x","b":"x","restitution":1}]})"),
      test::force(R"("type":"explosion","falloff":"none","except":["ball"],"end_time":1)"),
      test::method(R"({"integrator":{"relative_tolerance":1e-6,"name":"dormand-prince"},"gyroscopic":false})"),
      test::method(R"({"validators":["finite",{"name":"finite"}]})"),
      test::body(R"("shape":{"plane":true},"fixed":true,"inertia":[1,1,1],"material":{"density":5})"),
      test::generator(R"("grid":{"count":[1,2,3],"spacing":[1,1,1],"bodies":[{"shape":{"sphere":1}}]})"),
      test::generator(R"("wall":{"columns":3,"courses":2,"box":[1,1,1],"gap":0,"jitter":{"seed":1}})"),
      test::generator(R"("cloud":{"count":3,"size":[1,1,1],"seed":4,"at":[0,5,0],"bodies":[{"shape":{"sphere":1}}]})"),
  };
  for (const std::string& scene : scenes) {
    EXPECT_NO_THROW(parse_scene(scene)) << scene;
    EXPECT_TRUE(accepts(scene)) << scene;
  }
}

TEST_F(SceneSchemaValidation, RefusesWhatTheReaderRefuses) {
  for (const test::BadScene& bad : test::bad_scenes())
    EXPECT_EQ(accepts(bad.text), !bad.in_schema) << bad.what << ": " << bad.text.substr(0, 200);
}

#endif

}  // namespace
}  // namespace rigor
