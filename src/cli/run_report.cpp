#include "cli/run_report.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/numbers.h"
#include "constraints/joint_survey.h"
#include "io/recording_frame.h"

namespace rigor::cli {

namespace {

Json to_json(const Vec3& v) { return {v.x, v.y, v.z}; }

std::uint32_t count_asleep(const BodyState& s) { return s.end(BodySet::sleeping) - s.begin(BodySet::sleeping); }

Json bodies_json(const World& world) {
  Json list = Json::array();
  for (const BodyId id : recorded_bodies(world)) {
    const Quat q = world.orientation(id);
    list.push_back({{"name", world.name(id)},
                    {"position", to_json(world.position(id))},
                    {"orientation", {q.w, q.x, q.y, q.z}},
                    {"velocity", to_json(world.velocity(id))},
                    {"angular_velocity", to_json(world.angular_velocity(id))}});
  }
  return list;
}

Json joints_json(const World& world) {
  Json list = Json::array();
  std::map<JointId, JointErrors> errors = errors_by_joint(world);
  for (const JointId id : world.joints()) {
    const JointState& state = world.joint_state(id);
    list.push_back({{"name", world.joint(id).name},
                    {"force", to_json(state.force)},
                    {"torque", to_json(state.torque)},
                    {"error", errors[id].linear},
                    {"angle_error", errors[id].angular},
                    {"broken", state.broken}});
  }
  return list;
}

/// Figures of the last step, and the largest of the run; residuals only if there are any.
Json solver_json(const StepStatistics& last, const SolverSummary& run) {
  const auto slot = [](const SolverStatistics& r) {
    return Json{{"iterations", r.iterations}, {"residual", r.residual}, {"converged", r.converged}};
  };
  Json j = {{"max_iterations", run.most_iterations},
            {"collision", slot(last.collision)},
            {"contact", slot(last.contact)},
            {"joint", slot(last.joint)},
            {"correction", slot(last.correction)}};
  if (run.has_residual) j["max_residual"] = run.largest_residual;
  if (last.residual) j["residual"] = *last.residual;
  return j;
}

/// ms per step, by stage.
Json stages_json(const Profile& profile, std::uint64_t steps) {
  Json stages = Json::object();
  for (int k = 0; k < kStageCount; ++k) {
    const Stage stage = static_cast<Stage>(k);
    stages[std::string(stage_name(stage))] =
        steps > 0 ? 1e3 * profile.seconds(stage) / static_cast<double>(steps) : 0.0;
  }
  return stages;
}

std::string more_text(std::uint64_t more) { return "and " + counted(more, "more report", "more reports"); }

std::string bodies_text(const World& world) {
  std::string text;
  const auto line = [&](const char* what, const Vec3& v, const char* unit) {
    text += fmt::format("    {:<17}{:>14.6g} {:>14.6g} {:>14.6g}  {}\n", what, v.x, v.y, v.z, unit);
  };
  for (const BodyId id : recorded_bodies(world)) {
    const Quat q = world.orientation(id);
    text += "\n  " + printable_text(world.name(id)) + "\n";
    line("position", world.position(id), "m");
    text += fmt::format("    {:<17}{:>14.6g} {:>14.6g} {:>14.6g} {:>14.6g}  (w, x, y, z)\n", "orientation", q.w, q.x,
                        q.y, q.z);
    line("velocity", world.velocity(id), "m/s");
    line("angular velocity", world.angular_velocity(id), "rad/s");
  }
  return text;
}

std::string joints_text(const World& world) {
  std::string text;
  std::map<JointId, JointErrors> errors = errors_by_joint(world);
  const auto line = [&](const char* what, const Vec3& v, const char* unit) {
    text += fmt::format("    {:<17}{:>14.6g} {:>14.6g} {:>14.6g}  {}\n", what, v.x, v.y, v.z, unit);
  };
  for (const JointId id : world.joints()) {
    const JointState& state = world.joint_state(id);
    text += "\n  " + printable_text(world.joint(id).name) + (state.broken ? " (broken)" : "") + "\n";
    line("reaction force", state.force, "N");
    line("reaction torque", state.torque, "N m");
    text += fmt::format("    {:<17}{:>14.3g} m {:>12.3g} rad\n", "error", errors[id].linear, errors[id].angular);
  }
  return text;
}

}  // namespace

Json truth_json(const std::vector<TruthFigure>& figures) {
  Json j = Json::object();
  for (const TruthFigure& f : figures)
    if (f.figure.count > 0)
      j[f.name] = {
          {"max", f.figure.max}, {"rms", f.figure.rms}, {"unit", f.unit}, {"worst", f.worst}, {"time", f.time}};
  return j;
}

Json run_json(const RunResult& result, const Simulation& simulation, const RunMetrics& metrics, ReportLists lists) {
  const World& world = simulation.world();
  const Energy energy = simulation.energy();
  const StepTimes times = metrics.step_times();
  const ContactSummary contacts = summarize(simulation.contacts());
  const JointErrors joints = joint_errors(world);
  const BodyState& state = world.state();
  Json reports = result.reports;
  if (result.more_reports > 0) reports.push_back(more_text(result.more_reports));
  Json report = {{"scene", result.scene},
                 {"method", method_text(simulation.method())},
                 {"steps", simulation.steps()},
                 {"dt", simulation.time_settings().step},
                 {"time", simulation.time()},
                 {"bodies", lists.bodies ? bodies_json(world) : Json(recorded_bodies(world).size())},
                 {"contacts", contacts.contacts},
                 {"ms_per_step", {{"median", times.median}, {"p95", times.p95}, {"max", times.max}}},
                 {"stage_ms", stages_json(result.profile, result.steps)},
                 {"energy",
                  {{"kinetic", energy.kinetic},
                   {"potential", energy.potential},
                   {"total", energy.total()},
                   {"relative_drift", metrics.final_energy_drift()}}},
                 {"momentum", to_json(world.momentum())},
                 {"angular_momentum", to_json(world.angular_momentum())},
                 {"penetration", {{"max", contacts.max_depth}, {"mean", contacts.mean_depth}}},
                 {"joint_error", {{"max", joints.linear}, {"max_angle", joints.angular}}},
                 {"solver", solver_json(simulation.statistics(), metrics.solvers())},
                 {"truth", truth_json(result.truth)},
                 {"asleep", count_asleep(state)},
                 {"hash", hex(simulation.hash())},
                 {"out_of_time", result.out_of_time},
                 {"reports", reports}};
  if (lists.joints) report["joints"] = joints_json(world);
  return report;
}

std::string run_text(const RunResult& result, const Simulation& simulation, const RunMetrics& metrics,
                     ReportLists lists) {
  const World& world = simulation.world();
  const Energy energy = simulation.energy();
  const StepTimes times = metrics.step_times();
  const Style style;
  std::string text = style.bold(printable_text(result.scene)) + "\n";
  const auto line = [&](const char* what, const std::string& value) {
    text += fmt::format("  {:<11}{}\n", what, value);
  };
  if (!result.description.empty()) text += "  " + wrapped(printable_text(result.description), 2) + "\n";
  line("method", method_text(simulation.method()));
  const double simulated = simulation.time() - result.begin;
  const std::string continued = result.begin > 0 ? fmt::format(", on from {:.6g} s", result.begin) : "";
  line("simulated", fmt::format("{:.6g} s: {} of {:.6g} s, {}{}", simulated, counted(result.steps, "step", "steps"),
                                simulation.time_settings().step,
                                counted(recorded_bodies(world).size(), "body", "bodies"), continued));
  if (result.out_of_time) line("ended", "by the time limit, before all steps were made");
  const double speed = result.wall_seconds > 0 ? simulated / result.wall_seconds : 0;
  line("took",
       fmt::format("{}, {:.{}f} times real time", duration_text(1e3 * result.wall_seconds), speed, speed < 10 ? 2 : 0));
  line("step time", fmt::format("median {}, 95 % within {}, at most {}", duration_text(times.median),
                                duration_text(times.p95), duration_text(times.max)));
  line("energy", fmt::format("{:.6g} J = kinetic {:.6g} J + potential {:.6g} J", energy.total(), energy.kinetic,
                             energy.potential));
  line("drift", fmt::format("{:+.2e} of the energy at the end, at most {:.2e}", metrics.final_energy_drift(),
                            metrics.largest_energy_drift()));
  line("momentum", fmt::format("{:.6g} kg m/s, angular {:.6g} kg m²/s about the origin", length(world.momentum()),
                               length(world.angular_momentum())));
  if (const std::uint32_t asleep = count_asleep(world.state()); asleep > 0)
    line("asleep",
         fmt::format("{} of {} bodies; contacts between them are not counted", asleep, asleep + world.state().awake()));
  if (const ContactSummary contacts = summarize(simulation.contacts()); contacts.contacts > 0)
    line("contacts", fmt::format("{}, penetration at most {:.3g} m, {:.3g} m on average", contacts.contacts,
                                 contacts.max_depth, contacts.mean_depth));
  if (world.joint_count() > 0) {
    const JointErrors joints = joint_errors(world);
    line("joints", fmt::format("{}, apart by at most {:.3g} m, turned by at most {:.3g} rad", world.joint_count(),
                               joints.linear, joints.angular));
  }
  if (const SolverSummary& solvers = metrics.solvers(); solvers.has_residual)
    line("solvers", fmt::format("at most {}, residual at most {:.3g} m/s",
                                counted(static_cast<std::uint64_t>(solvers.most_iterations), "iteration", "iterations"),
                                solvers.largest_residual));
  line("hash", hex(simulation.hash()));
  for (const std::string& file : result.written) line("wrote", printable_text(file));
  for (const std::string& report : result.reports) line("report", printable_text(report));
  if (result.more_reports > 0) line("report", more_text(result.more_reports));
  if (lists.bodies) text += bodies_text(world);
  if (lists.joints) text += joints_text(world);
  return text;
}

}  // namespace rigor::cli
