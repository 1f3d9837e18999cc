#include "lab/method_matrix.h"

#include <algorithm>
#include <cmath>

#include "lab/metrics.h"
#include "rigor/error.h"
#include "rigor/interruption.h"
#include "rigor/registry.h"
#include "rigor/simulation.h"

namespace rigor {

namespace {

constexpr const char* kReference = "sequential-impulse";  // if a solver needs another one in a slot

bool is_allowed(const Method& method) {
  try {
    check(method);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<const MethodInfo*> all_of(Kind kind, std::string_view capability = "") {
  std::vector<const MethodInfo*> found;
  for (const MethodInfo& info : methods())
    if (info.kind == kind && info.name != "none" && (capability.empty() || has_capability(info, capability)))
      found.push_back(&info);
  return found;
}

class Matrix {
 public:
  std::vector<MatrixEntry> all;

  void add_step(const MethodInfo& stepping) {
    if (has_capability(stepping, "solves-constraints")) return add(stepping.name, "itself", itself(stepping.name));
    for (const MethodInfo* solver : all_of(Kind::solver)) {
      if (!has_capability(*solver, "contact") && !has_capability(*solver, "joint")) continue;
      Method m = with(stepping.name, *solver);
      if (stepping.name == "explicit")
        add_corrections(solver->name, m);
      else
        add_usual_correction(stepping.name, solver->name, m);
    }
    if (stepping.name != "explicit") return;
    for (const MethodInfo* collision : all_of(Kind::solver, "collision")) {
      Method m = with(stepping.name, *find_method(Kind::solver, kReference));
      if (collision->name == kReference) continue;
      m.collision_solver.name = collision->name;
      add_usual_correction(stepping.name, kReference + (" after " + collision->name), m);
    }
  }

 private:
  void add(const std::string& stepping, const std::string& solver, const Method& m) {
    if (is_allowed(m)) all.push_back({stepping, solver, m.correction.name, m});
  }

  /// The method of the presets with other solvers.
  static Method itself(const std::string& stepping) {
    Method m;
    m.stepping.name = stepping;
    m.integrator.name = "kick-drift";
    return m;
  }

  static Method with(const std::string& stepping, const MethodInfo& solver) {
    Method m = itself(stepping);
    const auto or_reference = [&](const char* task) {
      return has_capability(solver, task) ? solver.name : std::string(kReference);
    };
    m.collision_solver.name = or_reference("collision");
    m.contact_solver.name = or_reference("contact");
    m.joint_solver.name = or_reference("joint");
    return m;
  }

  void add_corrections(const std::string& solver, Method m) {
    for (const MethodInfo& info : methods()) {
      if (info.kind != Kind::solver || !has_capability(info, "correction")) continue;
      m.correction.name = info.name;
      add(m.stepping.name, solver, m);
    }
  }

  void add_usual_correction(const std::string& stepping, const std::string& solver, Method m) {
    m.correction.name = "baumgarte";
    if (!is_allowed(m)) m.correction.name = "none";
    add(stepping, solver, m);
  }
};

double fastest_of(const World& world) {
  const BodyState& s = world.state();
  double speed = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i) speed = std::max(speed, length(s.velocity[i]));
  return speed;
}

}  // namespace

std::vector<MatrixEntry> method_matrix() {
  Matrix matrix;
  for (const MethodInfo* stepping : all_of(Kind::stepping)) matrix.add_step(*stepping);
  return std::move(matrix.all);
}

MatrixResult run_matrix_entry(const Scene& scene, const MatrixEntry& entry, double seconds) {
  Simulation sim(scene.world, entry.method);
  MatrixResult result;
  const auto steps = static_cast<int>(std::lround(seconds / scene.time.step));
  try {
    for (int i = 0; i < steps; ++i) {
      throw_if_interrupted();
      sim.step(scene.time.step);
      result.reached = sim.time();
      result.is_finite = result.is_finite && is_finite(sim);
      result.fastest = std::max(result.fastest, fastest_of(sim.world()));
    }
  } catch (const Interrupted&) {
    result.interrupted = true;
  }
  for (const std::string& report : sim.take_reports())
    result.quarantined += report.find("not finite") != std::string::npos;
  return result;
}

}  // namespace rigor
