#include "rigor/material.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/model_helpers.h"

namespace rigor {
namespace {

using model_test::error_of;

TEST(MaterialCheck, AcceptsOrdinaryMaterials) {
  EXPECT_NO_THROW(check(Material{}, "m"));
  EXPECT_NO_THROW(check({"ice", 917, 0, -1, 0}, "m"));
  EXPECT_NO_THROW(check({"rubber", 1100, 1.5, 2, 1}, "m"));
}

TEST(MaterialCheck, NamesPlaceAndNumber) {
  const auto sentence = [](const Material& m) { return error_of([&] { check(m, "materials.wood"); }); };
  EXPECT_EQ(sentence({"wood", 0, 0.5, -1, 0}), "materials.wood.density: expected a positive number, got 0");
  EXPECT_EQ(sentence({"wood", 1, -0.5, -1, 0}), "materials.wood.friction: expected zero or more, got -0.5");
  EXPECT_EQ(sentence({"wood", 1, 0.5, std::nan(""), 0}),
            "materials.wood.static_friction: expected a number, negative for the same as friction, got nan");
  EXPECT_EQ(sentence({"wood", 1, 0.5, -1, 1.5}), "materials.wood.restitution: expected a number from 0 to 1, got 1.5");
  EXPECT_EQ(error_of([] { check({"wood", -1, 0.5, -1, 0}, ""); }), "density: expected a positive number, got -1");
}

TEST(MaterialCheck, RefusesWhatIsNotFinite) {
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(check({"m", bad, 0.5, -1, 0}, "m"), Error);
    EXPECT_THROW(check({"m", 1, bad, -1, 0}, "m"), Error);
    EXPECT_THROW(check({"m", 1, 0.5, bad, 0}, "m"), Error);
    EXPECT_THROW(check({"m", 1, 0.5, -1, bad}, "m"), Error);
  }
}

}  // namespace
}  // namespace rigor
