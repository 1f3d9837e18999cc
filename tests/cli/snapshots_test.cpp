// A run that is saved and continued is the run that was not interrupted.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include "cli/cli.h"

namespace rigor {
namespace {

using SnapshotCli = Cli;

std::string hash_of(const Result& r) { return json::parse(r.out)["hash"]; }

TEST_F(SnapshotCli, ASavedRunContinuesToTheSameHash) {
  for (const std::string scene : {"seesaw", "dominoes"}) {
    const Result whole = rigor("run " + scene + " --steps 120 --json");
    const Result half = rigor("run " + scene + " --steps 70 --save half.rsnap --json");
    const Result rest = rigor("run half.rsnap --steps 50 --json");
    ASSERT_EQ(whole.code, 0) << whole.err;
    ASSERT_EQ(half.code, 0) << half.err;
    ASSERT_EQ(rest.code, 0) << rest.err;
    EXPECT_NE(hash_of(half), hash_of(whole)) << scene;
    EXPECT_EQ(hash_of(rest), hash_of(whole)) << scene;
    EXPECT_EQ(json::parse(rest.out)["time"], json::parse(whole.out)["time"]) << scene;
  }
}

TEST_F(SnapshotCli, MistakesAreOneSentence) {
  expect_mistake("run missing.rsnap", "missing.rsnap");
  std::ofstream(folder_ / "broken.rsnap") << "nothing of the kind";
  expect_mistake("run broken.rsnap", "broken.rsnap");
  ASSERT_EQ(rigor("run pendulum --steps 2 --save good.rsnap --quiet").code, 0);
  const std::string good = read(folder_ / "good.rsnap");
  std::ofstream(folder_ / "short.rsnap", std::ios::binary) << good.substr(0, good.size() / 2);
  expect_mistake("run short.rsnap", "short.rsnap");
}

}  // namespace
}  // namespace rigor

#endif
