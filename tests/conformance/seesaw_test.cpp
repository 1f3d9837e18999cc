// The seesaw of chapter 8.2 under every stepping method with every solver that is declared compatible: ten seconds without a
// number that is not finite. Hinge, impact, flight and a pyramid of resting boxes are in it. The default tier takes one solver
// per stepping method, over the impact. `rigor robustness --matrix` makes a table of them, with a limit on the time of each.
#include <gtest/gtest.h>

#include "lab/method_matrix.h"
#include "long_tests.h"
#include "rigor/scene.h"
#include "rigor/simulation.h"

namespace rigor {

inline void PrintTo(const MatrixEntry& e, std::ostream* out) { *out << e.name(); }

namespace test {
namespace {

/// In the default tier each stepping method with another solver.
std::vector<MatrixEntry> chosen() {
  const std::vector<MatrixEntry> all = method_matrix();
  if (long_tests()) return all;
  std::vector<MatrixEntry> sample;
  for (std::size_t begin = 0, turn = 0; begin < all.size(); ++turn) {
    std::size_t end = begin;
    while (end < all.size() && all[end].stepping == all[begin].stepping) ++end;
    // A step of the pyramid takes force-lcp a tenth of a second: the long tier has it.
    const std::size_t pick = begin + turn % (end - begin);
    sample.push_back(all[all[pick].method.contact_solver.name == "force-lcp" ? begin : pick]);
    begin = end;
  }
  return sample;
}

class SeesawMatrix : public testing::TestWithParam<MatrixEntry> {};
INSTANTIATE_TEST_SUITE_P(Steppings, SeesawMatrix, testing::ValuesIn(chosen()),
                         [](const testing::TestParamInfo<MatrixEntry>& tested) {
                           std::string name = tested.param.name();
                           for (char& c : name)
                             if (c == '-' || c == ' ') c = '_';
                           return name;
                         });

TEST_P(SeesawMatrix, StaysFinite) {
  // The heavy box arrives after 1.8 s.
  const MatrixResult r = run_matrix_entry(open_scene("seesaw"), GetParam(), long_tests() ? 10 : 2.5);
  EXPECT_TRUE(r.is_finite);
  EXPECT_EQ(r.quarantined, 0);
  EXPECT_GT(r.reached, long_tests() ? 9.99 : 2.49);
  RecordProperty("fastest_mm_per_s", std::to_string(1000 * r.fastest));
}

/// The pyramid stands while the heavy box falls and the light one flies; resting contacts that were solved as impacts threw a box away.
TEST(SeesawPyramid, StandsUnderGuendelmanWithConservativeAdvancement) {
  const Scene scene = open_scene("seesaw");
  Method method = preset("guendelman");
  method.stepping = {"conservative-advancement", {}};
  Simulation sim(scene.world, method, scene.time);
  while (sim.time() < 3) sim.step();
  for (const BodyId id : scene.world.bodies()) {
    if (!scene.world.name(id).starts_with("pyramid")) continue;
    EXPECT_LT(length(sim.world().position(id) - scene.world.position(id)), 0.05) << scene.world.name(id);
    EXPECT_LT(length(sim.world().velocity(id)), 0.1) << scene.world.name(id);
  }
}

}  // namespace
}  // namespace test
}  // namespace rigor
