// The exact solutions in tests/data, by name.
#pragma once

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "rigor/rigor.h"
#include "test_paths.h"

namespace rigor::test {

inline nlohmann::json reference(const std::string& file, const std::string& name) {
  std::ifstream in(std::string(RIGOR_SOURCE_DIR) + "/tests/data/" + file);
  return nlohmann::json::parse(in).at(name);
}

inline Vec3 vec3(const nlohmann::json& j, std::size_t first = 0) {
  return {j.at(first).get<double>(), j.at(first + 1).get<double>(), j.at(first + 2).get<double>()};
}
inline Quat quat(const nlohmann::json& j) {
  return {j.at(0).get<double>(), j.at(1).get<double>(), j.at(2).get<double>(), j.at(3).get<double>()};
}

/// In equal steps of at most h.
inline void advance_to(Simulation& sim, double t, double h) {
  const int n = static_cast<int>(std::ceil((t - sim.time()) / h - 1e-9));
  const double step = n > 0 ? (t - sim.time()) / n : 0;
  for (int i = 0; i < n; ++i) sim.step(step);
}

/// Bound of the relative error of a method of order p at time t, for motion whose fastest angular rate is ω: the series of
/// exp(iωh) cut off after the term p is wrong by (ωh)^(p+1)/(p+1)! in each of t/h steps.
inline double truncation_bound(double rate, double t, double h, int order) {
  return rate * t * std::pow(rate * h, order) / std::tgamma(order + 2);
}

}  // namespace rigor::test
