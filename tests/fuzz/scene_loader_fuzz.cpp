// Any bytes are a scene or an Error. A scene can be written, read again and simulated without numbers going astray.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>

#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace {

using namespace rigor;

constexpr std::size_t kMostBodies = 200;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "scene_loader_fuzz: %s\n", what);
  std::abort();
}

/// At the edge of the limits a position may be rounded across it when it is written.
bool is_moderate(const World& world) {
  for (const BodyId id : world.bodies())
    if (length(world.position(id)) > 1e11 || length(world.center_of_mass(id)) > 1e11) return false;
  return true;
}

void check_round_trip(const Scene& scene) {
  const std::string text = write_scene(scene);
  const Scene again = parse_scene(text);
  require(again.world.body_count() == scene.world.body_count(), "another number of bodies after writing");
  require(again.world.forces().size() == scene.world.forces().size(), "another number of forces after writing");
  require(again.method == scene.method, "another method after writing");
}

void check_steps(const Scene& scene) {
  Simulation simulation(scene.world, scene.method, scene.time);
  // A step is taken in as many parts as its length asks for, up to thousands, so long ones take their time.
  constexpr double kLongest = 10;  // s
  for (int i = 0; i < 3; ++i) simulation.step(std::min(scene.time.step, kLongest));
  const BodyState& s = simulation.world().state();
  for (std::uint32_t i = 0; i < s.size(); ++i)
    require(is_finite(s.position[i]) && is_finite(s.orientation[i]) && is_finite(s.velocity[i]) &&
                is_finite(s.angular_velocity[i]),
            "a body's state is not finite after three steps");
}

/// The validator `finite` is what keeps states finite.
bool has_finite_validator(const Method& method) {
  for (const Choice& choice : method.validators)
    if (choice.name == "finite") return true;
  return false;
}

using Tree = nlohmann::ordered_json;

void collect(Tree& value, std::vector<Tree*>& all) {
  all.push_back(&value);
  if (value.is_structured())
    for (Tree& child : value) collect(child, all);
}

/// Most changed bytes are no JSON at all; changes of the tree reach what lies behind the parser.
void mutate(Tree& root, std::mt19937& random) {
  static const Tree kValues[] = {0,    1,     -1,  2,       0.5, 1e-9, 1e-300, 1e9,       1e12,         1e30, 1e300,
                                 true, false, "a", "world", "",  {},   -1e12,  {0, 0, 0}, {1, 0, 0, 0}, 200,  64};
  std::vector<Tree*> all;
  collect(root, all);
  const auto any = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  Tree& target = *all[any(all.size())];
  switch (any(4)) {
    case 0: target = kValues[any(std::size(kValues))]; break;
    case 1: target = Tree(*all[any(all.size())]); break;
    case 2:
      if (target.is_structured() && !target.empty())
        target.erase(std::next(target.begin(), static_cast<long>(any(target.size()))));
      break;
    default:
      if (target.is_array() && !target.empty()) target.push_back(Tree(target[any(target.size())]));
      if (target.is_number()) target = target.get<double>() * std::pow(10, static_cast<double>(any(41)) - 20);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::mt19937 random(seed);
  Tree tree = Tree::parse(data, data + size, nullptr, false);
  if (tree.is_discarded() || random() % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (std::uint32_t n = 1 + random() % 3; n > 0; --n) mutate(tree, random);
  const std::string text = tree.dump(-1, ' ', false, Tree::error_handler_t::replace);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Scene scene;
  try {
    scene = read_scene(text, {.bodies = kMostBodies});
  } catch (const Error& error) {
    require(std::string_view(error.what()).size() < 2000, "a message is too long");
    return 0;
  }
  if (is_moderate(scene.world)) check_round_trip(scene);
  if (has_finite_validator(scene.method)) check_steps(scene);
  return 0;
}
