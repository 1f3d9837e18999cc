// Every model that lies beside the project loads, runs, and more than 95 % of its elements are honoured.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "models/shared_models.h"
#include "rigor/model.h"
#include "rigor/simulation.h"

namespace rigor {
namespace {

TEST(SharedModels, LoadAndAreHonoured) {
  const std::vector<std::string> files = test::model_files(test::shared_models());
  if (files.empty()) GTEST_SKIP() << "there are no models at " << test::shared_models();
  ModelReport sum;
  for (const std::string& file : files) {
    ModelReport report;
    const Scene scene = load_model(file, {}, &report);
    EXPECT_GT(scene.world.body_count(), 1u) << file;
    EXPECT_GT(report.elements, 0u) << file;
    for (const ModelNote& note : report.notes) {
      EXPECT_FALSE(note.what.empty()) << file;
      EXPECT_GT(note.line, 0) << file << ": " << to_text(note);
    }
    sum.elements += report.elements, sum.elements_honoured += report.elements_honoured;
    sum.attributes += report.attributes, sum.attributes_honoured += report.attributes_honoured;
    sum.moving_elements += report.moving_elements, sum.moving_elements_honoured += report.moving_elements_honoured;
    EXPECT_EQ(parse_scene(write_scene(scene)).world.hash(), scene.world.hash()) << file;
  }
  const auto share = [](std::size_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  std::cout << "elements " << sum.elements_honoured << " of " << sum.elements << ", bearing on the motion "
            << sum.moving_elements_honoured << " of " << sum.moving_elements << ", attributes "
            << sum.attributes_honoured << " of " << sum.attributes << "\n";
  EXPECT_GT(share(sum.elements_honoured, sum.elements), 0.95);
  EXPECT_GT(share(sum.moving_elements_honoured, sum.moving_elements), 0.95);
}

TEST(SharedModels, RunWithoutLosingNumbers) {
  const std::vector<std::string> files = test::model_files(test::shared_models());
  if (files.empty()) GTEST_SKIP() << "there are no models at " << test::shared_models();
  for (const std::string& file : files) {
    const Scene scene = load_model(file);
    Simulation simulation = make_simulation(scene);
    for (int i = 0; i < 20; ++i) simulation.step(scene.time.step);
    const BodyState& s = simulation.world().state();
    for (std::uint32_t i = 0; i < s.size(); ++i)
      EXPECT_TRUE(is_finite(s.position[i]) && is_finite(s.velocity[i])) << file;
  }
}

}  // namespace
}  // namespace rigor
