// The exact solutions in tests/data, by name.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "rigor/math.h"

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

}  // namespace rigor::test
