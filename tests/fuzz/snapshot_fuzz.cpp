// Any bytes are a snapshot or an Error. A snapshot that was read can be simulated and written again.
#include <cstdio>
#include <cstdlib>

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
  if (run.snapshot.world->body_count() > kMostBodies) return 0;
  Simulation simulation(run.snapshot);
  for (int i = 0; i < 2; ++i) simulation.step();
  return 0;
}
