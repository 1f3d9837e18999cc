// A method or a force declares its parameters once, in one function, beside the members that hold them.
//
//   void fields(FieldVisitor& v) override {
//     v.number("tolerance", tolerance, {"1", 1e-15, 1, "largest relative error of a step"});
//   }
//
// The registry visits a default instance to list parameters with unit, default and range; configuring visits with the
// user's values; saving a scene visits to write them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "rigor/math.h"

namespace rigor {

using Value = std::variant<bool, std::int64_t, double, std::string, Vec3>;
using Settings = std::map<std::string, Value>;

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();
/// As a lower bound: strictly positive.
inline constexpr double kPositive = std::numeric_limits<double>::min();

struct Field {
  std::string unit;  // "1" for a pure number
  double min = -kUnbounded, max = kUnbounded;
  std::string description;
};

class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void number(const std::string& name, double& value, const Field& field) = 0;
  virtual void integer(const std::string& name, int& value, const Field& field) = 0;
  virtual void flag(const std::string& name, bool& value, const std::string& description) = 0;
  virtual void choice(const std::string& name, std::string& value, const std::vector<std::string>& choices,
                      const std::string& description) = 0;
  virtual void vector(const std::string& name, Vec3& value, const Field& field) = 0;
};

class Configurable {
 public:
  virtual ~Configurable() = default;
  virtual void fields(FieldVisitor&) {}
};

/// Sets the fields named in `settings`. An unknown name, a wrong type or a value out of range is an Error at
/// `place.<name>`, and `object` may then be partly set: configure a new one.
void configure(Configurable& object, const Settings& settings, const std::string& place);
/// All fields with their present values.
Settings settings_of(const Configurable& object);

}  // namespace rigor
