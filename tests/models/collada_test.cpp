// COLLADA meshes: units, nodes, polygons, colours, and files that are broken or hostile.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/mesh_file.h"
#include "rigor/error.h"
#include "rigor/mass_properties.h"
#include "rigor/model.h"
#include "rigor/scene.h"

namespace rigor::models {
namespace {

/// The corners of a unit cube; `<p>` lists beside normals and texture coordinates as exporters write them.
const std::string kPositions =
    R"(<source id="pos"><float_array id="pos-array" count="24">0 0 0  1 0 0  1 1 0  0 1 0  0 0 1  1 0 1  1 1 1  0 1 1</float_array>
<technique_common><accessor source="#pos-array" count="8" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="verts"><input semantic="POSITION" source="#pos"/></vertices>
)";
const std::string kInput = R"(<input semantic="VERTEX" source="#verts" offset="0"/>)";
const std::string kQuads =
    R"(<polylist count="6" material="paint">)" + kInput +
    "<vcount>4 4 4 4 4 4</vcount><p>3 2 1 0  4 5 6 7  0 1 5 4  1 2 6 5  2 3 7 6  3 0 4 7</p></polylist>";
const std::string kInstance = R"(<instance_geometry url="#cube"/>)";

std::string geometry(const std::string& primitives, const std::string& positions = kPositions) {
  return "<library_geometries><geometry id=\"cube\"><mesh>" + positions + primitives +
         "</mesh></geometry></library_geometries>";
}

std::string scene_of(const std::string& nodes) {
  return "<library_visual_scenes><visual_scene id=\"s\">" + nodes +
         "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#s\"/></scene>";
}

std::string collada(const std::string& inner, const std::string& asset = "<unit meter=\"1\"/>") {
  return "<?xml version=\"1.0\"?>\n<COLLADA version=\"1.4.1\"><asset>" + asset + "</asset>\n" + inner + "\n</COLLADA>";
}

std::string cube(const std::string& node = kInstance, const std::string& primitives = kQuads,
                 const std::string& asset = "<unit meter=\"1\"/>") {
  return collada(geometry(primitives) + scene_of("<node>" + node + "</node>"), asset);
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

MeshData read(const std::string& text) { return parse_mesh(text, "a.dae", {.forbidden = true}); }

std::string message_of(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

MassProperties solid(const MeshData& mesh) {
  EXPECT_TRUE(surface_state(mesh).is_closed());
  EXPECT_FALSE(surface_state(mesh).inside_out);
  return mass_properties(*triangle_shape(mesh), 1);
}

void expect_at(const Vec3& found, const Vec3& expected) {
  EXPECT_NEAR(length(found - expected), 0, 1e-12) << found.x << " " << found.y << " " << found.z;
}

TEST(Collada, AllPrimitivesGiveTheSameSolid) {
  const std::string triangles =
      R"(<triangles count="12">)" + kInput +
      "<p>3 2 1 3 1 0  4 5 6 4 6 7  0 1 5 0 5 4  1 2 6 1 6 5  2 3 7 2 7 6  3 0 4 3 4 7</p></triangles>";
  const std::string polygons =
      R"(<polygons count="6">)" + kInput +
      "<p>3 2 1 0</p><p>4 5 6 7</p><p>0 1 5 4</p><p>1 2 6 5</p><p>2 3 7 6</p><p>3 0 4 7</p></polygons>";
  const std::string fans = R"(<trifans count="2">)" + kInput + "<p>0 3 2 1 5 4 7 3</p><p>6 7 4 5 1 2 3 7</p></trifans>";
  const std::string strips =
      R"(<tristrips count="6">)" + kInput +
      "<p>3 2 0 1</p><p>4 5 7 6</p><p>0 1 4 5</p><p>1 2 5 6</p><p>2 3 6 7</p><p>3 0 7 4</p></tristrips>";
  // Three inputs: the positions are the second number of each corner.
  const std::string interleaved =
      R"(<polylist count="6"><input semantic="NORMAL" source="#nowhere" offset="0"/><input semantic="VERTEX" source="#verts" offset="1"/><input semantic="TEXCOORD" source="#nowhere" offset="2" set="0"/><vcount>4 4 4 4 4 4</vcount><p>9 3 9 9 2 9 9 1 9 9 0 9 9 4 9 9 5 9 9 6 9 9 7 9 9 0 9 9 1 9 9 5 9 9 4 9 9 1 9 9 2 9 9 6 9 9 5 9 9 2 9 9 3 9 9 7 9 9 6 9 9 3 9 9 0 9 9 4 9 9 7 9</p></polylist>)";
  const std::string with_lines = R"(<lines count="1">)" + kInput + "<p>0 1</p></lines>" + kQuads;
  for (const std::string& primitives : {kQuads, triangles, polygons, fans, strips, interleaved, with_lines}) {
    const MeshData mesh = read(cube(kInstance, primitives));
    EXPECT_EQ(mesh.vertices.size(), 8u) << primitives;
    EXPECT_EQ(mesh.triangles.size(), 12u) << primitives;
    const MassProperties p = solid(mesh);
    EXPECT_NEAR(p.mass, 1, 1e-12) << primitives;
    expect_at(p.center_of_mass, {0.5, 0.5, 0.5});
  }
}

TEST(Collada, AccessorsMayStrideAndNameTheirParameters) {
  const std::string source =
      R"(<source id="pos"><float_array id="pos-array" count="17">7 8  0 9 0 0  0 9 1 0  1 9 0 0  0 9 0 1  5</float_array>
<technique_common><accessor source="#pos-array" count="4" stride="4" offset="2"><param name="Z"/><param/><param name="X"/><param name="Y"/></accessor></technique_common></source>
<vertices id="verts"><input semantic="POSITION" source="#pos"/></vertices>)";
  const std::string faces = R"(<triangles count="4">)" + kInput + "<p>0 1 2  0 2 3  0 3 1  1 3 2</p></triangles>";
  const MeshData mesh = read(collada(geometry(faces, source)));
  ASSERT_EQ(mesh.vertices.size(), 4u);
  expect_at(mesh.vertices[1], {1, 0, 0});
  expect_at(mesh.vertices[2], {0, 0, 1});
  expect_at(mesh.vertices[3], {0, 1, 0});
}

TEST(Collada, NodesPlaceGeometriesInTheirOrder) {
  // (2, 0, 0) + a quarter turn about z of the cube stretched along x.
  const MeshData placed =
      read(cube("<translate>2 0 0</translate><rotate>0 0 1 90</rotate><scale>3 1 1</scale>" + kInstance));
  EXPECT_NEAR(solid(placed).mass, 3, 1e-12);
  expect_at(solid(placed).center_of_mass, {1.5, 1.5, 0.5});
  const MeshData by_matrix = read(cube("<matrix>0 -1 0 2  3 0 0 0  0 0 1 0  0 0 0 1</matrix>" + kInstance));
  expect_at(solid(by_matrix).center_of_mass, {1.5, 1.5, 0.5});
  // A camera-like node at (0, 0, 5) that looks along −z has the axes of the file.
  const MeshData looking = read(cube("<lookat>0 0 5 0 0 0 0 1 0</lookat>" + kInstance));
  expect_at(solid(looking).center_of_mass, {0.5, 0.5, 5.5});
  const MeshData mirrored = read(cube("<scale>-1 1 1</scale>" + kInstance));
  expect_at(solid(mirrored).center_of_mass, {-0.5, 0.5, 0.5});
}

TEST(Collada, NodesNestAndAreInstantiated) {
  const std::string library =
      R"(<library_nodes><node id="part"><translate>0 4 0</translate>)" + kInstance + "</node></library_nodes>";
  const MeshData mesh =
      read(collada(geometry(kQuads) + library +
                   scene_of(R"(<node><translate>10 0 0</translate><node><scale>2 2 2</scale>)" + kInstance +
                            R"(</node><instance_node url="#part"/></node><node><instance_node url="#part"/></node>)")));
  EXPECT_EQ(mesh.triangles.size(), 36u);
  const MassProperties p = solid(mesh);
  EXPECT_NEAR(p.mass, 10, 1e-12);
  // 8 at (11, 1, 1), 1 at (10.5, 4.5, 0.5), 1 at (0.5, 4.5, 0.5)
  expect_at(p.center_of_mass, {(88 + 10.5 + 0.5) / 10, (8 + 9.0) / 10, (8 + 1.0) / 10});
}

TEST(Collada, SkinsAtRestAreTheirGeometry) {
  const std::string skin =
      R"(<library_controllers><controller id="c"><skin source="#cube"><bind_shape_matrix>1 0 0 3 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix></skin></controller></library_controllers>)";
  const MeshData mesh =
      read(collada(geometry(kQuads) + skin + scene_of(R"(<node><instance_controller url="#c"/></node>)")));
  expect_at(solid(mesh).center_of_mass, {3.5, 0.5, 0.5});
  // Under a node that is moved, the skeleton may place it elsewhere: a note says so.
  const std::string bound = R"(<instance_controller url="#c"><skeleton>#bone</skeleton></instance_controller>)";
  EXPECT_TRUE(read(collada(geometry(kQuads) + skin + scene_of("<node>" + bound + "</node>"))).notes.empty());
  const MeshData moved = read(
      collada(geometry(kQuads) + skin + scene_of("<node><translate>1 0 0</translate>" + bound + bound + "</node>")));
  ASSERT_EQ(moved.notes.size(), 1u);
  EXPECT_NE(moved.notes[0].find("a skin is placed by its node"), std::string::npos) << moved.notes[0];
}

TEST(Collada, UnitsAreMetresAndAxesStayThoseOfTheFile) {
  for (const char* axis : {"X_UP", "Y_UP", "Z_UP"}) {
    const MeshData mesh =
        read(cube("<translate>0 0 10</translate>" + kInstance, kQuads,
                  std::string("<unit name=\"inch\" meter=\"0.0254\"/><up_axis>") + axis + "</up_axis>"));
    EXPECT_NEAR(solid(mesh).mass, 0.0254 * 0.0254 * 0.0254, 1e-15) << axis;
    expect_at(solid(mesh).center_of_mass, 0.0254 * Vec3{0.5, 0.5, 10.5});
    EXPECT_EQ(mesh.is_z_up, axis == std::string("Z_UP"));
  }
}

TEST(Collada, WithoutASceneAllGeometriesAreRead) {
  EXPECT_EQ(read(collada(geometry(kQuads))).triangles.size(), 12u);
  const std::string without_reference = "<library_visual_scenes><visual_scene id=\"s\"><node>" + kInstance +
                                        "</node></visual_scene></library_visual_scenes>";
  EXPECT_EQ(read(collada(geometry(kQuads) + without_reference)).triangles.size(), 12u);
}

// ---- colours ----------------------------------------------------------------------------------------

std::string painted(const std::string& diffuse, const std::string& shading = "phong", const std::string& more = "") {
  return R"(<library_effects><effect id="fx"><profile_COMMON>)" + more + R"(<technique sid="c"><)" + shading +
         "><diffuse>" + diffuse + "</diffuse></" + shading +
         R"(></technique></profile_COMMON></effect></library_effects><library_materials><material id="red"><instance_effect url="#fx"/></material></library_materials>)";
}
const std::string kBound =
    R"(<node><instance_geometry url="#cube"><bind_material><technique_common><instance_material symbol="paint" target="#red"/></technique_common></bind_material></instance_geometry></node>)";

TEST(Collada, DiffuseColoursAreRead) {
  for (const char* shading : {"phong", "lambert", "blinn"}) {
    const MeshData mesh =
        read(collada(painted("<color>1 0.5 0 1</color>", shading) + geometry(kQuads) + scene_of(kBound)));
    ASSERT_EQ(mesh.colors.size(), 1u) << shading;
    expect_at(mesh.colors[0], {1, 0.5, 0});
    EXPECT_EQ(mesh.color_of, std::vector<int>(12, 0));
    EXPECT_TRUE(mesh.notes.empty());
  }
  const MeshData plain = read(collada(geometry(kQuads) + scene_of(kBound)));
  EXPECT_TRUE(plain.colors.empty());
  EXPECT_TRUE(plain.color_of.empty());
}

TEST(Collada, TexturesAreNamed) {
  const std::string parameters =
      R"(<newparam sid="surf"><surface type="2D"><init_from>img</init_from></surface></newparam><newparam sid="samp"><sampler2D><source>surf</source></sampler2D></newparam>)";
  const std::string images =
      R"(<library_images><image id="img"><init_from>wood.png</init_from></image></library_images>)";
  const MeshData mesh =
      read(collada(images + painted(R"(<texture texture="samp" texcoord="uv"/>)", "phong", parameters) +
                   geometry(kQuads) + scene_of(kBound)));
  ASSERT_EQ(mesh.notes.size(), 1u);
  EXPECT_EQ(mesh.notes[0], "a.dae:3: <texture>: the picture 'wood.png' is not drawn");
  EXPECT_TRUE(mesh.colors.empty());
}

TEST(Collada, PartsHaveTheirColours) {
  std::string two = kQuads;
  two.replace(two.find("count=\"6\""), 9, "count=\"5\"");
  two.replace(two.find("4 4 4 4 4 4"), 11, "4 4 4 4 4");
  two.replace(two.find("  3 0 4 7"), 9, "");
  const std::string other = R"(<triangles count="2" material="bare">)" + kInput + "<p>3 0 4  3 4 7</p></triangles>";
  const MeshData mesh = read(collada(painted("<color>1 0 0 1</color>") + geometry(two + other) + scene_of(kBound)));
  const std::map<int, MeshData> parts = parts_by_color(mesh);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts.at(0).triangles.size(), 10u);
  EXPECT_EQ(parts.at(-1).triangles.size(), 2u);
  EXPECT_EQ(parts.at(-1).vertices.size(), 4u);
}

// ---- where meshes are accepted ----------------------------------------------------------------------

class ColladaFiles : public testing::Test {
 protected:
  ColladaFiles() : folder_(std::filesystem::path(testing::TempDir()) / "rigor_collada") {
    std::filesystem::create_directories(folder_);
    write("red.dae", collada(painted("<color>1 0 0 1</color>") + geometry(kQuads) + scene_of(kBound),
                             "<unit meter=\"0.1\"/><up_axis>Z_UP</up_axis>"));
  }
  ~ColladaFiles() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(ColladaFiles, AreShapesOfRobots) {
  const std::string link =
      R"(<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial><visual><geometry><mesh filename="red.dae"/></geometry>MATERIAL</visual><collision><geometry><mesh filename="red.dae" scale="2 2 2"/></geometry></collision></link>)";
  for (const bool has_own : {false, true}) {
    std::string robot = "<robot name=\"r\">" + link + "</robot>";
    robot.replace(robot.find("MATERIAL"), 8,
                  has_own ? R"(<material name="sky"><color rgba="0 0 1 1"/></material>)" : "");
    write("r.urdf", robot);
    ModelReport report;
    const Scene scene = load_model(path("r.urdf"), {}, &report);
    const BodyId id = scene.world.find_body("a");
    const std::string text = write_scene(scene);
    EXPECT_EQ(text.find("#ff0000") != std::string::npos, !has_own);
    EXPECT_EQ(text.find("sky #0000ff") != std::string::npos, has_own);
    EXPECT_NEAR(scene.world.body_def(id).shape->local_bounds().upper.x, 0.1, 1e-12);
    EXPECT_NEAR(scene.world.body_def(id).collision_shape->local_bounds().upper.x, 0.2, 1e-12);
    EXPECT_EQ(report.elements_honoured, report.elements);
  }
}

TEST_F(ColladaFiles, AreShapesOfSceneFilesAndModelsOfTheirOwn) {
  write("s.json", R"({"rigor":1,"world":{"bodies":[{"name":"m","shape":{"mesh":{"file":"red.dae","scale":10}}}]}})");
  const Scene scene = load_scene_file(path("s.json"));
  EXPECT_NEAR(scene.world.mass_properties(scene.world.find_body("m")).mass, 1000, 1e-9);
  // A model of its own stands on the ground with its upward axis along y.
  write("tall.dae", cube("<scale>1 1 5</scale>" + kInstance, kQuads, "<unit meter=\"1\"/><up_axis>Z_UP</up_axis>"));
  const Scene tall = load_model(path("tall.dae"));
  EXPECT_NEAR(tall.world.body_def(tall.world.find_body("tall")).shape->local_bounds().upper.y, 5, 1e-12);
  // A convex one collides as its hull, which is the solid itself.
  ModelReport report;
  const Scene red = load_model(path("red.dae"), {}, &report);
  EXPECT_TRUE(report.notes.empty()) << report.notes[0].what;
  EXPECT_NE(write_scene(red).find("#ff0000"), std::string::npos);
}

TEST_F(ColladaFiles, HaveTheMassOfTheWholeSurfaceWithSeveralColours) {
  const std::string top = R"(<triangles count="2" material="bare">)" + kInput + "<p>4 5 6  4 6 7</p></triangles>";
  std::string rest = with(kQuads, "count=\"6\"", "count=\"5\"");
  rest = with(with(rest, "4 4 4 4 4 4", "4 4 4 4 4"), "  4 5 6 7", "");
  write("two.dae", collada(painted("<color>1 0 0 1</color>") + geometry(rest + top) + scene_of(kBound)));
  const Scene scene = load_model(path("two.dae"));
  const BodyId id = scene.world.find_body("two");
  EXPECT_NEAR(scene.world.mass_properties(id).mass, 1000, 1e-9);
  ASSERT_TRUE(scene.world.body_def(id).shape->as<Composite>());
  EXPECT_EQ(scene.world.body_def(id).shape->as<Composite>()->parts.size(), 2u);
  EXPECT_NE(write_scene(scene).find("#ff0000"), std::string::npos);
  EXPECT_EQ(parse_scene(write_scene(scene)).world.hash(), scene.world.hash());
}

TEST_F(ColladaFiles, AreRefusedWithFileAndLine) {
  write("broken.dae", collada(geometry("\n\n<triangles count=\"1\">" + kInput + "<p>0 1 99</p></triangles>")));
  try {
    load_model(path("broken.dae"));
    FAIL() << "it was read";
  } catch (const Error& error) {
    const std::string sentence = error.what();
    EXPECT_NE(sentence.find("broken.dae:8: <p>: there is no corner 99; the mesh has 8"), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find("broken.dae"), sentence.rfind("broken.dae")) << sentence;
  }
}

// ---- broken and hostile ones ------------------------------------------------------------------------

TEST(Collada, RefusesBrokenFilesInOneSentence) {
  const std::string good = cube();
  ASSERT_EQ(message_of(good), "(no error)");
  const std::pair<std::string, std::string> cases[] = {
      {"", "a.dae:1: this is not XML"},
      {"<COLLADA>", "not XML"},
      {"<robot/>", "expected <COLLADA>"},
      {collada(""), "no triangles"},
      {with(good, "3 2 1 0", "3 2 1 8"), "<p>: there is no corner 8; the mesh has 8"},
      {with(good, "3 2 1 0", "3 2 1 -1"), "<p>: expected whole numbers from 0 on, got '-1"},
      {with(good, "3 2 1 0", "3 2 1 1.5"), "got '1.5"},
      {with(good, "3 2 1 0", "3 2 1 4294967296"), "got '4294967296"},
      {with(good, "3 2 1 0", "3 2 1"), "add up to 24 corners, <p> has 23"},
      {with(good, "4 4 4 4 4 4", "4 4 4 4 4294967295 4"), "corners, <p> has 24"},
      {with(good, "count=\"6\"", "count=\"7\""), "count: 7 are announced, 6 are there"},
      {with(good, "count=\"24\"", "count=\"27\""), "27 numbers are announced, 24 are there"},
      {with(good, "count=\"8\"", "count=\"9\""), "9 corners of 3 numbers are announced, but the array has 24 numbers"},
      {with(good, "count=\"8\"", "count=\"-1\""), "expected a whole number from 0"},
      {with(good, "stride=\"3\"", "stride=\"2\""), "at least three numbers"},
      {with(good, "stride=\"3\"", "stride=\"3\" offset=\"1\""), "but the array has 24 numbers"},
      {with(good, "0 0 0  1 0 0", "0 0 0  nan 0 0"), "<float_array>: expected numbers"},
      {with(good, "0 0 0  1 0 0", "0 0 0  1e300 0 0"), "<float_array>: expected numbers up to 1e12"},
      {with(good, "offset=\"0\"", "offset=\"4\""), "it has 24 numbers, which is no multiple of the 5"},
      {with(good, "offset=\"0\"", "offset=\"1000000\""), "offset: expected a whole number from 0 to 1000"},
      {with(good, "semantic=\"VERTEX\"", "semantic=\"NORMAL\""), "semantic VERTEX is missing"},
      {with(good, "semantic=\"POSITION\"", "semantic=\"NORMAL\""), "semantic POSITION is missing"},
      {with(good, "source=\"#verts\"", "source=\"#pos\""), "no <vertices> with the id 'pos'"},
      {with(good, "source=\"#verts\"", "source=\"verts\""), "expected '#' and the id"},
      {with(good, "url=\"#cube\"", "url=\"other.dae#cube\""), "expected '#' and the id of an element of this file"},
      {with(good, "meter=\"1\"", "meter=\"0\""), "meter: expected a length in m"},
      {with(good, "meter=\"1\"", "meter=\"one\""), "meter: expected numbers"},
      {with(good, "<node>", "<node><matrix>1 0 0</matrix>"), "<matrix>: expected 16 numbers, got 3"},
      {with(good, "<node>", "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 1 0 0 1</matrix>"), "0 0 0 1 in the last row"},
      {with(good, "<node>", "<node><rotate>0 0 0 90</rotate>"), "the axis is zero"},
      {with(good, "<node>", "<node><skew>1 2 3 4 5 6 7</skew>"), "skews are not read"},
      {with(good, "<node>", "<node><scale>0 0 0</scale>"), "no triangles with an area"},
      {cube(kInstance, "<polygons count=\"1\">" + kInput + "<ph><p>0 1 2</p><h>1 2 3</h></ph></polygons>"),
       "polygons with holes"},
  };
  for (const auto& [text, words] : cases) {
    const std::string message = message_of(text);
    EXPECT_NE(message.find(words), std::string::npos) << words << ": " << message;
    EXPECT_LT(message.size(), 400u) << message;
  }
  for (std::size_t cut = 0; cut < good.size(); cut += 13)
    EXPECT_NE(message_of(good.substr(0, cut)), "(no error)") << cut;
}

TEST(Collada, RefusesCyclesAndInstancesWithoutEnd) {
  const std::string cycle =
      scene_of(R"(<node id="a"><instance_node url="#b"/></node><node id="b"><instance_node url="#a"/></node>)");
  EXPECT_NE(message_of(collada(geometry(kQuads) + cycle)).find("nested, or they form a cycle"), std::string::npos);
  // 40 levels of two instances each would be 10¹² nodes.
  std::string doubling = "<library_nodes>";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "<instance_node url=\"#n" + std::to_string(i + 1) + "\"/>";
    doubling += "<node id=\"n" + std::to_string(i) + "\">" + next + next + "</node>";
  }
  doubling += "<node id=\"n40\">" + kInstance + "</node></library_nodes>";
  EXPECT_NE(message_of(collada(geometry(kQuads) + doubling + scene_of(R"(<node><instance_node url="#n0"/></node>)")))
                .find("elements with its instances"),
            std::string::npos);
  // 2¹⁴ instances of a cube are read; of a mesh of 1212 triangles they would be too many.
  std::string large = geometry(kQuads);
  large.replace(large.find("</mesh>"), 7, std::string());
  for (int i = 0; i < 100; ++i) large.insert(large.find("</geometry>"), kQuads);
  large.insert(large.find("</geometry>"), "</mesh>");
  const std::string from_level_26 = doubling + scene_of(R"(<node><instance_node url="#n26"/></node>)");
  EXPECT_EQ(message_of(collada(geometry(kQuads) + from_level_26)), "(no error)");
  EXPECT_NE(message_of(collada(large + from_level_26)).find("<instance_geometry>: instances repeat more than 5000000"),
            std::string::npos);
  // Matrices that multiply to infinity.
  std::string huge = kInstance;
  for (int i = 0; i < 60; ++i) huge = "<node><scale>1e12 1e12 1e12</scale>" + huge + "</node>";
  EXPECT_NE(message_of(collada(geometry(kQuads) + scene_of(huge)))
                .find("<instance_geometry>: it places a corner beyond what a scene can hold"),
            std::string::npos);
}

// Every depth of the cycle held a list of the children, 5.6 GB for a file of 10 MB.
TEST(Collada, WideCyclesAreRefusedWithoutListsOfTheirChildren) {
  std::string children;
  for (int i = 0; i < 400'000; ++i) children += "<a/>";
  for (const bool first : {true, false}) {
    const std::string again = "<instance_node url=\"#a\"/>";
    const std::string text = message_of(collada(
        geometry(kQuads) + scene_of("<node id=\"a\">" + (first ? again + children : children + again) + "</node>")));
    EXPECT_NE(text.find(first ? "nested, or they form a cycle" : "elements with its instances"), std::string::npos)
        << text;
  }
}

TEST(Collada, ColoursThatAreBrokenAreNotDrawn) {
  const MeshData mesh = read(collada(painted("<color>red</color>") + geometry(kQuads) + scene_of(kBound)));
  EXPECT_TRUE(mesh.colors.empty());
  ASSERT_EQ(mesh.notes.size(), 1u);
  EXPECT_NE(mesh.notes[0].find("a.dae:3: <color>: it is not drawn: expected numbers, got 'red'"), std::string::npos)
      << mesh.notes[0];
}

}  // namespace
}  // namespace rigor::models
