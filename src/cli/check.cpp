#include <fmt/format.h>

#include <filesystem>

#include "cli/numbers.h"
#include "cli/verbs.h"
#include "io/recording_frame.h"
#include "rigor/error.h"
#include "rigor/queries.h"
#include "rigor/scene.h"
#include "world/doubtful_parts.h"

namespace rigor::cli {

int check(const Arguments& arguments) {
  std::string file;
  Command command("check", "Validates a scene: says that it is right, or what is wrong and where.",
                  "  rigor check scene.json");
  command.option("FILE", file, "a scene file, or the name of a built-in scene", "FILE")->required();
  if (!command.parse(arguments)) return kSuccess;

  std::error_code error;
  const bool exists = std::filesystem::is_regular_file(file, error);
  const Scene scene = exists ? load_scene_file(file) : open_scene(file);
  // A method can be right in each part and yet not work; only a simulation knows.
  const Simulation simulation(scene.world, scene.method, scene.time);
  const World& world = scene.world;
  const std::size_t usual = world.contains(world.gravity()) + world.contains(world.drag());
  print(fmt::format("{}: ok ({}, {}, {} besides gravity and drag, method {}, {:.6g} s in steps of {:.6g} s)\n",
                    printable_text(file), counted(recorded_bodies(scene.world).size(), "body", "bodies"),
                    counted(scene.world.joint_count(), "joint", "joints"),
                    counted(scene.world.forces().size() - usual, "force", "forces"), method_text(simulation.method()),
                    scene.duration, scene.time.step));
  for (const auto& warnings : {never_meet(scene.world), contradicting_joints(scene.world), doubtful_parts(scene.world),
                               far_anchors(scene.world), missing_solvers(scene.world, simulation.method()),
                               features_not_honoured(scene.world, simulation.method())})
    for (const std::string& sentence : warnings) print("warning: " + printable_text(sentence) + "\n");
  return kSuccess;
}

}  // namespace rigor::cli
