// Any bytes are a snapshot or an Error. A snapshot that was read can be simulated and written again.
#include <cstdio>
#include <cstdlib>

#include "io/scene_limits.h"
#include "io/snapshot_parts.h"
#include "rigor/error.h"
#include "rigor/simulation.h"

namespace {

using namespace rigor;

constexpr std::uint32_t kMostBodies = 100;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "snapshot_fuzz: %s\n", what);
  std::abort();
}

/// A snapshot holds whatever a program has made, also masses beyond the range of scene files, of which a step may end with an error.
bool has_masses_of_scenes(const World& world) {
  for (const double inverse : world.state().inverse_mass)
    if (inverse != 0 && !(1 / inverse >= kMassRange.min && 1 / inverse <= kMassRange.max)) return false;
  return true;
}

}  // namespace

/// The bytes are those behind the checksum and the compression, which no fuzzer would get through.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  SavedRun run;
  try {
    run = read_snapshot_payload({reinterpret_cast<const char*>(data), size});
  } catch (const Error& error) {
    require(std::string_view(error.what()).size() < 2000, "a message is too long");
    return 0;
  }
  const std::string again = write_snapshot_payload(run);
  require(write_snapshot_payload(read_snapshot_payload(again)) == again, "written and read, it is another one");
  if (run.snapshot.world->body_count() > kMostBodies || !has_masses_of_scenes(*run.snapshot.world)) return 0;
  Simulation simulation(run.snapshot);
  for (int i = 0; i < 2; ++i) simulation.step();
  return 0;
}
