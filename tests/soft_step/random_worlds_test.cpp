// The default under random worlds of every class: the short form of `rigor torture`. What may never happen is asked for in every world;
// thousands more are run when RIGOR_LONG_TESTS is set.
#include <gtest/gtest.h>

#include "lab/torture/torture_run.h"
#include "lab/torture/world_classes.h"
#include "long_tests.h"
#include "support.h"

namespace rigor::test {
namespace {

bool may_never_happen(Verdict verdict) {
  return verdict == Verdict::not_finite || verdict == Verdict::removed || verdict == Verdict::energy ||
         verdict == Verdict::fast || verdict == Verdict::momentum;
}

class RandomWorlds : public testing::TestWithParam<const char*> {};

TEST_P(RandomWorlds, GainNothingAndLoseNoBody) {
  const WorldClass& kind = find_world_class(GetParam());
  const std::uint64_t count = long_tests() ? 400 : 20;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    const Scene scene = make_random_world(kind, seed);
    const Judgement judgement = torture_run(scene, rigor_engine("soft-step", 1));
    for (const Finding& f : judgement.findings)
      EXPECT_FALSE(may_never_happen(f.verdict))
          << scene.name << ": " << to_string(f.verdict) << " " << f.object << " at " << f.time << " s";
  }
}

/// A body far away changes no bit.
TEST_P(RandomWorlds, AreTheSameWithABodyFarAway) {
  const WorldClass& kind = find_world_class(GetParam());
  for (std::uint64_t seed = 101; seed <= 103; ++seed) {
    const Scene scene = make_random_world(kind, seed), among = with_far_body(scene);
    const std::size_t bodies = moving_bodies(scene.world).size();
    EXPECT_EQ(trajectory_hash(scene, rigor_engine("soft-step", 1), bodies),
              trajectory_hash(among, rigor_engine("soft-step", 1), bodies))
        << scene.name;
  }
}

std::vector<const char*> class_names() {
  std::vector<const char*> names;
  for (const WorldClass& kind : world_classes()) names.push_back(kind.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Classes, RandomWorlds, testing::ValuesIn(class_names()),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace rigor::test
