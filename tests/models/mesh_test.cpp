// Meshes from files: OBJ, STL, glTF; closed, open, inside out, cut off.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "io/mesh_file.h"
#include "model/triangle_index.h"
#include "rigor/error.h"
#include "rigor/mass_properties.h"
#include "rigor/scene.h"

namespace rigor::models {
namespace {

const char* kCube =
    "# a unit cube\nmtllib nothing.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 4 3 2 1\nf 5/1 6/2 7/3 8\nf 1 2 6 5\nf 2//1 3//1 7//1 6//1\nf -6 -5 -1 -2\nf 4 1 5 8\n";

MeshData cube() { return parse_mesh(kCube, "cube.obj", {}); }

std::string message_of(const std::string& bytes, const std::string& name) {
  try {
    parse_mesh(bytes, name, {.forbidden = true});
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

std::string binary_stl(const MeshData& mesh) {
  std::string out(80, ' ');
  const auto put = [&](const auto& v) { out.append(reinterpret_cast<const char*>(&v), sizeof v); };
  put(static_cast<std::uint32_t>(mesh.triangles.size()));
  for (const auto& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) put(0.0f);
    for (const int c : t)
      for (int k = 0; k < 3; ++k) put(static_cast<float>(mesh.vertices[static_cast<std::size_t>(c)][k]));
    put(std::uint16_t{0});
  }
  return out;
}

std::string text_stl(const MeshData& mesh) {
  std::string out = "solid cube\n";
  for (const auto& t : mesh.triangles) {
    out += " facet normal 0 0 0\n  outer loop\n";
    for (const int c : t) {
      const Vec3& v = mesh.vertices[static_cast<std::size_t>(c)];
      out += "   vertex " + std::to_string(v.x) + " " + std::to_string(v.y) + " " + std::to_string(v.z) + "\n";
    }
    out += "  endloop\n endfacet\n";
  }
  return out + "endsolid cube\n";
}

std::string base64(const std::string& bytes) {
  static const char* kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t v = 0;
    for (std::size_t k = 0; k < 3; ++k)
      v = v << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (int k = 0; k < 4; ++k)
      out += i + static_cast<std::size_t>(k) > bytes.size() ? '=' : kLetters[v >> (18 - 6 * k) & 63];
  }
  return out;
}

std::string buffer_of(const MeshData& mesh) {
  std::string out;
  const auto put = [&](const auto& v) { out.append(reinterpret_cast<const char*>(&v), sizeof v); };
  for (const Vec3& v : mesh.vertices)
    for (int k = 0; k < 3; ++k) put(static_cast<float>(v[k]));
  for (const auto& t : mesh.triangles)
    for (const int c : t) put(static_cast<std::uint16_t>(c));
  return out;
}

/// `uri` empty: the GLB chunk. A node scales by 2 and moves by 1 along x.
std::string gltf(const MeshData& mesh, const std::string& uri,
                 const std::string& node = R"("scale":[2,2,2],"translation":[1,0,0])") {
  const std::size_t corners = mesh.vertices.size(), indices = 3 * mesh.triangles.size();
  return R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,)" + node +
         R"(}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"buffers":[{"byteLength":)" +
         std::to_string(12 * corners + 2 * indices) + (uri.empty() ? "" : ",\"uri\":\"" + uri + "\"") +
         R"(}],"bufferViews":[{"buffer":0,"byteLength":)" + std::to_string(12 * corners) +
         R"(},{"buffer":0,"byteOffset":)" + std::to_string(12 * corners) + R"(,"byteLength":)" +
         std::to_string(2 * indices) + R"(}],"accessors":[{"bufferView":0,"componentType":5126,"count":)" +
         std::to_string(corners) + R"(,"type":"VEC3"},{"bufferView":1,"componentType":5123,"count":)" +
         std::to_string(indices) + R"(,"type":"SCALAR"}]})";
}

void expect_cube(const MeshData& mesh, double side) {
  EXPECT_EQ(mesh.vertices.size(), 8u);
  EXPECT_EQ(mesh.triangles.size(), 12u);
  EXPECT_TRUE(surface_state(mesh).is_closed());
  const MassProperties p = mass_properties(*triangle_shape(mesh), 1);
  EXPECT_NEAR(p.mass, side * side * side, 1e-9);
  EXPECT_NEAR(p.inertia(0, 0), p.mass * side * side / 6, 1e-9);
}

TEST(MeshFiles, ObjStlAndGltfGiveTheSameSolid) {
  expect_cube(cube(), 1);
  expect_cube(parse_mesh(binary_stl(cube()), "a.STL", {}), 1);
  expect_cube(parse_mesh(text_stl(cube()), "a.stl", {}), 1);
  const std::string buffer = buffer_of(cube());
  expect_cube(parse_mesh(gltf(cube(), "data:application/octet-stream;base64," + base64(buffer)), "a.gltf", {}), 2);
  std::string json = gltf(cube(), "");
  while (json.size() % 4 != 0) json += ' ';
  std::string bin = buffer;
  while (bin.size() % 4 != 0) bin += '\0';
  std::string glb = "glTF";
  const auto put = [&](std::uint32_t v) { glb.append(reinterpret_cast<const char*>(&v), 4); };
  put(2), put(static_cast<std::uint32_t>(28 + json.size() + bin.size()));
  put(static_cast<std::uint32_t>(json.size())), glb += "JSON" + json;
  put(static_cast<std::uint32_t>(bin.size())), glb += std::string("BIN\0", 4) + bin;
  expect_cube(parse_mesh(glb, "a.glb", {}), 2);
  for (std::size_t cut = 0; cut < glb.size(); cut += 7)
    EXPECT_NE(message_of(glb.substr(0, cut), "a.glb"), "(no error)") << cut;
}

TEST(MeshFiles, MirrorsKeepTheOutsideOutside) {
  const std::string uri = "data:;base64," + base64(buffer_of(cube()));
  const MeshData mirrored = parse_mesh(gltf(cube(), uri, R"("scale":[-2,2,2])"), "a.gltf", {});
  EXPECT_FALSE(surface_state(mirrored).inside_out);
  MeshData scaled = cube();
  scale(scaled, {1, 1, -3});
  EXPECT_FALSE(surface_state(scaled).inside_out);
}

TEST(MeshFiles, SayWhatIsWrongWithASurface) {
  MeshData open = cube();
  open.triangles.pop_back();
  EXPECT_EQ(surface_state(open).open_edges, 3u);
  EXPECT_NE(surface_state(open).sentence().find("open: 3 edges have no neighbour"), std::string::npos);
  MeshData turned = cube();
  turn_round(turned);
  EXPECT_TRUE(surface_state(turned).inside_out);
  MeshData twice = cube();
  twice.triangles.push_back(twice.triangles[0]);
  EXPECT_GT(surface_state(twice).crowded_edges, 0u);
}

TEST(MeshFiles, RefuseBrokenOnesInOneSentence) {
  const std::pair<std::string, std::string> cases[] = {
      {"v 1 2\n", "expected a number"},
      {"v 0 0 0\nf 1 2 3\n", "there is no corner 2"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "at least three corners"},
      {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", "the number of a corner"},
      {"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "no triangles with an area"},
      {"v 0 0 0\nv 1 0 0\nv 0 1e300 0\nf 1 2 3\n", "line 3: expected a number up to 1e12"},
      {"v 0 0 0\nv -nan 0 0\nv 0 1 0\nf 1 2 3\n", "line 2: expected a number up to 1e12"},
      {"", "no triangles"}};
  for (const auto& [text, words] : cases)
    EXPECT_NE(message_of(text, "a.obj").find(words), std::string::npos) << message_of(text, "a.obj");
  const std::string stl = binary_stl(cube());
  EXPECT_NE(
      message_of(stl.substr(0, stl.size() - 10), "a.stl").find("cut off: 12 triangles are announced, 11 are there"),
      std::string::npos);
  EXPECT_NE(message_of(stl.substr(0, 20), "a.stl").find("too short"), std::string::npos);
  EXPECT_NE(message_of("solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", "a.stl").find("cut off"),
            std::string::npos);
  EXPECT_NE(message_of(gltf(cube(), "outside.bin"), "a.gltf").find("cannot be read"), std::string::npos);
  EXPECT_NE(message_of(gltf(cube(), "data:;base64,AAAA"), "a.gltf").find("cut off"), std::string::npos);
  const std::string cyclic = R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"children":[0]}]})";
  EXPECT_NE(message_of(cyclic, "a.gltf").find("cycle"), std::string::npos);
  EXPECT_NE(message_of("x", "a.ply").find(".obj, .stl, .dae, .gltf or .glb"), std::string::npos);
}

class MeshInScene : public testing::Test {
 protected:
  MeshInScene() : folder_(std::filesystem::path(testing::TempDir()) / "rigor_mesh_scene") {
    std::filesystem::create_directories(folder_ / "parts");
    std::ofstream(folder_ / "parts" / "cube.obj") << kCube;
    std::string turned = kCube;
    turned.replace(turned.find("f 4 3 2 1"), 9, "f 1 2 3 4");
    std::ofstream(folder_ / "open.obj") << std::string(kCube).substr(0, std::string(kCube).find("f 4 1"));
    MeshData inside_out = cube();
    turn_round(inside_out);
    std::ofstream(folder_ / "turned.stl", std::ios::binary) << binary_stl(inside_out);
    std::ofstream(std::filesystem::path(testing::TempDir()) / "outside.obj") << kCube;
  }
  ~MeshInScene() override { std::filesystem::remove_all(folder_); }

  Scene load(const std::string& shape, const std::string& more = "") const {
    std::ofstream(folder_ / "scene.json")
        << R"({"rigor":1,"world":{"bodies":[{"name":"m","shape":)" + shape + more + "}]}}";
    return load_scene_file((folder_ / "scene.json").string());
  }
  std::string message(const std::string& shape) const {
    try {
      load(shape);
    } catch (const Error& error) {
      return error.what();
    }
    return "(no error)";
  }

  std::filesystem::path folder_;
};

TEST_F(MeshInScene, IsAShapeOfABody) {
  const Scene scene = load(R"({"mesh":{"file":"parts/cube.obj","scale":[1,2,0.5]}})");
  const BodyId id = scene.world.find_body("m");
  EXPECT_NEAR(scene.world.mass_properties(id).mass, 1000, 1e-9);
  EXPECT_NEAR(scene.world.mass_properties(id).center_of_mass.y, 1, 1e-12);
  const Scene hull = load(R"({"hull":{"file":"parts/cube.obj","scale":2}})");
  EXPECT_NEAR(hull.world.mass_properties(hull.world.find_body("m")).mass, 8000, 1e-6);
  const Scene again = parse_scene(write_scene(scene));
  EXPECT_EQ(again.world.hash(), scene.world.hash());
}

TEST_F(MeshInScene, SaysWhyItIsRefused) {
  EXPECT_NE(message(R"({"mesh":{"file":"open.obj"}})").find("the surface is open: 4 edges"), std::string::npos)
      << message(R"({"mesh":{"file":"open.obj"}})");
  EXPECT_NE(message(R"({"mesh":{"file":"turned.stl"}})").find("inside out"), std::string::npos);
  EXPECT_EQ(message(R"({"mesh":{"file":"turned.stl","repair":true}})"), "(no error)");
  EXPECT_NE(message(R"({"mesh":{"file":"../outside.obj"}})").find("outside of the folder"), std::string::npos);
  EXPECT_NE(message(R"({"mesh":{"file":"/etc/passwd"}})").find("outside of the folder"), std::string::npos);
  EXPECT_NE(message(R"({"mesh":{"file":"nowhere.obj"}})").find("no such file"), std::string::npos);
  EXPECT_NE(message(R"({"mesh":{"file":"parts/cube.obj","scale":0}})").find("not zero"), std::string::npos);
  std::filesystem::create_symlink(std::filesystem::path(testing::TempDir()) / "outside.obj", folder_ / "link.obj");
  EXPECT_NE(message(R"({"mesh":{"file":"link.obj"}})").find("outside of the folder"), std::string::npos);
  EXPECT_THROW(parse_scene(R"({"rigor":1,"world":{"bodies":[{"shape":{"mesh":{"file":"a.obj"}}}]}})"), Error);
}

// Coincident solids took a quadratic time: 8192 cubes 12 s, these 200 000 triangles about an hour.
TEST(MeshIndex, TrianglesThatShareAnEdgeTakeNoQuadraticTime) {
  Mesh fan;
  fan.vertices = {{0, 0, 0}, {0, 0, 1}};
  constexpr int kCount = 200'000;
  for (int i = 0; i < kCount; ++i) {
    const double angle = 2 * kPi * (i % 150'000) / 150'000;  // some twice
    fan.vertices.push_back({std::cos(angle), std::sin(angle), 0.5});
    fan.triangles.push_back({i % 2, 1 - i % 2, i + 2});
  }
  const TriangleIndex index(fan);
  for (std::uint32_t i = 0; i < kCount; i += 1000) EXPECT_GE(index.neighbour(i, 0), 0);
}

/// The neighbour across edge 0 of a fan by the definition: the triangle that turns least.
int neighbour_of_all(const Mesh& fan, const TriangleIndex& index, std::uint32_t triangle) {
  const Vec3 along = fan.vertices[fan.triangles[triangle][1]] - fan.vertices[fan.triangles[triangle][0]];
  const Vec3 &normal = index.normal(triangle), out = normalized(cross(along, normal));
  double narrowest = 10;
  int found = -1;
  for (std::uint32_t other = 0; other < fan.triangles.size(); ++other) {
    if (fan.triangles[other][0] != fan.triangles[triangle][1]) continue;
    const double turn = std::atan2(dot(index.normal(other), out), dot(index.normal(other), normal));
    if (turn < narrowest) narrowest = turn, found = static_cast<int>(other);
  }
  return found;
}

TEST(MeshIndex, CrowdedEdgesHaveTheNeighbourThatTurnsLeast) {
  for (const int count : {10, 120, 130, 200, 1000})
    for (const double step : {0.0123, 0.7, 2.39996}) {
      Mesh fan;
      fan.vertices = {{1, 2, 3}, {1.5, 2.2, 4}};
      const Vec3 d = normalized(fan.vertices[1] - fan.vertices[0]);
      Vec3 u, v;
      tangents(d, u, v);
      for (int i = 0; i < count; ++i) {
        const double angle = step * (i / 3 * 3 % 500);  // each three times
        fan.vertices.push_back(fan.vertices[0] + 0.3 * d + std::cos(angle) * u + std::sin(angle) * v);
        fan.triangles.push_back({i * 7 % 2, 1 - i * 7 % 2, i + 2});
      }
      const TriangleIndex index(fan);
      for (std::uint32_t i = 0; i < fan.triangles.size(); ++i)
        EXPECT_EQ(index.neighbour(i, 0), neighbour_of_all(fan, index, i)) << count << " " << step << " " << i;
    }
}

}  // namespace
}  // namespace rigor::models
