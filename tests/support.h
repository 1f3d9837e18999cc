// Small things that many tests need.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "rigor/rigor.h"

namespace rigor::test {

inline double distance(const Vec3& a, const Vec3& b) { return length(a - b); }

/// Angle in rad between two orientations; q and -q are the same one.
inline double angle_between(const Quat& a, const Quat& b) {
  const Vec3 v = (conjugate(a) * b).vector();
  return 2 * std::asin(std::min(1.0, length(v)));
}

/// A world without ground, gravity and drag.
inline World empty_world() {
  World world;
  world.remove_body(world.ground());
  world.remove_force(world.gravity());
  world.remove_force(world.drag());
  return world;
}

/// A body of the given mass and principal moments; its shape has no meaning.
inline BodyDef body_with_inertia(const std::string& name, double mass, const Vec3& moments) {
  BodyDef def;
  def.name = name;
  def.shape = sphere(0.5);
  def.mass = mass;
  def.inertia = Mat3::diagonal(moments);
  return def;
}

/// Free motion under one integrator, without collision detection.
inline Method method_with(const std::string& integrator, const Settings& settings = {}) {
  Method m;
  m.integrator = {integrator, settings};
  m.broadphase.name = "none";
  return m;
}

/// Names of all registered methods of a kind.
inline std::vector<std::string> names_of(Kind kind) {
  std::vector<std::string> names;
  for (const MethodInfo& info : methods())
    if (info.kind == kind) names.push_back(info.name);
  return names;
}

/// For suites over names of methods: hyphens are not allowed in names of tests.
inline std::string method_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// The N of a capability "<key>:N", or the other value without one.
inline int number_in_capability(const std::string& integrator, const std::string& key, int otherwise) {
  for (const std::string& c : find_method(Kind::integrator, integrator)->capabilities)
    if (c.starts_with(key + ":")) return std::stoi(c.substr(key.size() + 1));
  return otherwise;
}
inline int order_of(const std::string& integrator) { return number_in_capability(integrator, "order", 0); }
/// The order on free bodies, where some integrators do better than with forces.
inline int free_motion_order_of(const std::string& integrator) {
  return number_in_capability(integrator, "free-motion-order", order_of(integrator));
}

/// Runs f and returns the message of the Error it throws; fails the test when it throws none.
template <class F> std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  ADD_FAILURE() << "no Error was thrown";
  return "";
}

}  // namespace rigor::test
