#include "lab/run_tables.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "constraints/joint_rows.h"
#include "constraints/joint_survey.h"
#include "io/json_text.h"
#include "io/recording_frame.h"
#include "lab/metrics.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr const char* kAxisNames[] = {"x", "y", "z", "rx", "ry", "rz"};

std::vector<TableColumn> triple(const std::string& symbol, const std::string& unit) {
  return {{symbol + "x", unit}, {symbol + "y", unit}, {symbol + "z", unit}};
}

std::vector<TableColumn> joined(std::initializer_list<std::vector<TableColumn>> lists) {
  std::vector<TableColumn> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// One row at a time: text first, then numbers.
class RowWriter {
 public:
  explicit RowWriter(TableRows& rows) : rows_(rows) {}
  void begin(std::initializer_list<std::string> keys) {
    ++rows_.count;
    rows_.text.insert(rows_.text.end(), keys);
  }
  void set_unit(const std::string& unit) { rows_.units.push_back(unit); }
  void add(double value) { rows_.numbers.push_back(value); }
  void add(const Vec3& v) { add(v.x), add(v.y), add(v.z); }

 private:
  TableRows& rows_;
};

void add_bodies(const Simulation& simulation, RowWriter& out, SensorReader*) {
  const World& world = simulation.world();
  for (const BodyId id : recorded_bodies(world)) {
    out.begin({world.name(id)});
    out.add(world.position(id));
    const Quat q = world.orientation(id);
    for (const double c : {q.w, q.x, q.y, q.z}) out.add(c);
    out.add(world.velocity(id));
    out.add(world.angular_velocity(id));
  }
}

Quat frame_rotation(const World& world, BodyId body, const Transform& frame) {
  return world.orientation(body) * frame.rotation;
}

/// The direction along or about which a coordinate moves body b, in the world.
Vec3 coordinate_axis(const World& world, const JointDef& def, int axis) {
  const Quat a = frame_rotation(world, def.a, def.frame_a), b = frame_rotation(world, def.b, def.frame_b);
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  switch (axis) {
    case 0: return rotate(a, x);
    case 1: return rotate(a, y);
    case 2: return rotate(a, z);
    case 3: return rotate(a, x);
    case 5: return rotate(b, z);
    default: break;
  }
  const Vec3 between = cross(rotate(b, z), rotate(a, x));
  return length(between) > 0 ? normalized(between) : rotate(a, y);
}

/// The force along or about a coordinate.
double coordinate_force(const World& world, const JointDef& def, const JointState& state, int axis) {
  return dot(coordinate_axis(world, def, axis), axis < 3 ? state.force : state.torque);
}

/// What a motor and its neighbours did in a step.
struct MotorState {
  double force = 0;  // N or N m, of the coordinate: of all of its rows
  double rate = 0;   // m/s or rad/s
  double step = 0;   // s
};

/// The motor's part of a coordinate's force: in proportion to its multiplier, whatever the step of the method that has found it. Where a motor pushes
/// against a stop, the two cancel, and rounding would decide: there a velocity motor that does not reach its target pushes with its largest force.
double motor_part(const JointAxis& axis, const JointState& state, int k, const MotorState& now) {
  if (axis.motor.kind == AxisMotor::Kind::none) return 0;
  const auto impulse = [&](int key) { return state.lambda[static_cast<std::size_t>(key + k)]; };
  const double motor = impulse(kKeyMotor), most = axis.motor.max_force;
  double all = motor, size = std::abs(motor);
  for (const int key : {kKeyLower, kKeyUpper, kKeySpring, kKeyFriction}) {
    all += key == kKeyUpper ? -impulse(key) : impulse(key);  // an upper limit pushes back
    size += std::abs(impulse(key));
  }
  constexpr double kCancelled = 0.05;  // chosen: rounding and the motion within a step decide on less
  if (motor == all) return std::clamp(now.force, -most, most);
  if (std::abs(all) > kCancelled * size) return std::clamp(now.force * (motor / all), -most, most);
  const bool is_at_stop = impulse(kKeyLower) != 0 || impulse(kKeyUpper) != 0;
  const bool is_slow = std::abs(now.rate - axis.motor.target) > 1e-3 * std::abs(axis.motor.target);
  if (axis.motor.kind == AxisMotor::Kind::velocity && is_at_stop && is_slow && std::isfinite(most))
    return std::copysign(most, motor);
  return now.step > 0 ? std::clamp(motor / now.step, -most, most) : 0;
}

void add_coordinates(const Simulation& simulation, RowWriter& out, SensorReader*) {
  const World& world = simulation.world();
  for (const JointId id : world.joints()) {
    const JointDef& def = world.joint(id);
    const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
    if (!axes) continue;
    const JointState& state = world.joint_state(id);
    for (int k = 0; k < 6; ++k) {
      const JointAxis& axis = axes->axes[static_cast<std::size_t>(k)];
      if (axis.motion == AxisMotion::locked) continue;
      const double force = coordinate_force(world, def, state, k);
      out.begin({def.name, kAxisNames[k]});
      out.add(world.joint_position(id, k));
      const double rate = world.joint_velocity(id, k);
      out.add(rate);
      out.add(force);
      out.add(motor_part(axis, state, k, {force, rate, simulation.time_settings().step}));
    }
  }
}

void add_joints(const Simulation& simulation, RowWriter& out, SensorReader*) {
  const World& world = simulation.world();
  std::map<JointId, JointErrors> errors = errors_by_joint(world);
  for (const JointId id : world.joints()) {
    const JointState& state = world.joint_state(id);
    out.begin({world.name(id)});
    out.add(state.force);
    out.add(state.torque);
    out.add(errors[id].linear);
    out.add(errors[id].angular);
    out.add(state.broken ? 1 : 0);
  }
}

/// The impulses of contact points over all parts of the last step; empty where they are not recorded.
class StepImpulses {
 public:
  explicit StepImpulses(const Simulation& simulation) {
    for (const ConstraintImpulse& i : simulation.impulses())
      if (i.source == ConstraintImpulse::Source::contact) sums_[{i.a, i.b, i.part_a, i.part_b, i.key}] += i.linear_b;
  }
  Vec3 of(const Contact& c, const ContactPoint& p) const {
    const auto found = sums_.find({c.a, c.b, c.part_a, c.part_b, p.key});
    if (found != sums_.end()) return found->second;
    if (!sums_.empty()) return {};
    return p.normal_impulse * c.normal + p.tangent_impulse[0] * c.tangent +
           p.tangent_impulse[1] * cross(c.normal, c.tangent);
  }

 private:
  std::map<std::tuple<BodyId, BodyId, std::uint32_t, std::uint32_t, std::uint32_t>, Vec3> sums_;
};

void add_contacts(const Simulation& simulation, RowWriter& out, SensorReader*) {
  const World& world = simulation.world();
  for_each_contact_point(simulation,
                         [&](const Contact& c, const ContactPoint& p, const Vec3& position, const Vec3& impulse) {
                           out.begin({world.name(c.a), world.name(c.b)});
                           out.add(position);
                           out.add(c.normal);
                           out.add(-p.separation);
                           const double normal = dot(impulse, c.normal);
                           out.add(normal);
                           out.add(length(impulse - normal * c.normal));
                           out.add(impulse);
                         });
}

void add_sensors(const Simulation& simulation, RowWriter& out, SensorReader* sensors) {
  if (!sensors) return;
  for (const SensorReading& reading : sensors->read(simulation))
    for (std::size_t k = 0; k < reading.values.size(); ++k) {
      out.begin({reading.sensor->name, component_name(k, reading.values.size())});
      out.set_unit(unit_of(*reading.sensor));
      out.add(reading.values[k]);
    }
}

void add_figures(const Simulation& simulation, RowWriter& out, SensorReader*) {
  const World& world = simulation.world();
  const Energy energy = simulation.energy();
  const ContactSummary contacts = summarize(simulation.contacts());
  const JointErrors joints = joint_errors(world);
  const StepStatistics statistics = simulation.statistics();
  const BodyState& s = world.state();
  out.begin({});
  out.add(energy.kinetic), out.add(energy.potential), out.add(energy.total());
  out.add(world.momentum());
  out.add(world.angular_momentum());
  out.add(static_cast<double>(contacts.contacts)), out.add(contacts.max_depth), out.add(contacts.mean_depth);
  out.add(joints.linear), out.add(joints.angular);
  out.add(std::max({statistics.collision.iterations, statistics.contact.iterations, statistics.joint.iterations,
                    statistics.correction.iterations}));
  out.add(statistics.residual.value_or(0));
  out.add(s.end(BodySet::sleeping) - s.begin(BodySet::sleeping));
}

const std::vector<RunTable>& tables() {
  static const std::vector<RunTable> all = {
      {"bodies",
       {"body"},
       joined({{{"x", "m"}, {"y", "m"}, {"z", "m"}, {"qw", ""}, {"qx", ""}, {"qy", ""}, {"qz", ""}},
               triple("v", "m/s"),
               triple("w", "rad/s")})},
      {"coordinates",
       {"joint", "axis"},
       {{"position", "m|rad"}, {"velocity", "m/s|rad/s"}, {"force", "N|N m"}, {"motor", "N|N m"}}},
      {"joints",
       {"joint"},
       joined({triple("f", "N"), triple("t", "N m"), {{"error", "m"}, {"angle_error", "rad"}, {"broken", ""}}})},
      {"contacts",
       {"a", "b"},
       joined({{{"x", "m"}, {"y", "m"}, {"z", "m"}},
               triple("n", ""),
               {{"depth", "m"}, {"normal", "N s"}, {"tangent", "N s"}},
               triple("j", "N s")})},
      {"sensors", {"sensor", "component"}, {{"reading", ""}}},
      {"figures",
       {},
       joined({{{"kinetic", "J"}, {"potential", "J"}, {"energy", "J"}},
               triple("p", "kg m/s"),
               triple("L", "kg m²/s"),
               {{"contacts", ""},
                {"max_depth", "m"},
                {"mean_depth", "m"},
                {"joint_error", "m"},
                {"joint_angle_error", "rad"},
                {"iterations", ""},
                {"residual", "m/s"},
                {"asleep", ""}}})},
  };
  return all;
}

}  // namespace

std::span<const RunTable> run_tables() { return tables(); }

const RunTable& run_table(const std::string& name, const std::string& place) {
  std::string known;
  for (const RunTable& table : tables()) {
    if (table.name == name) return table;
    known += (known.empty() ? "" : ", ") + table.name;
  }
  throw Error(place, "there is no table '" + short_text(name) + "'; known: " + known);
}

void append_rows(const RunTable& table, const Simulation& simulation, TableRows& rows, SensorReader* sensors) {
  static constexpr void (*kRows[])(const Simulation&, RowWriter&, SensorReader*) = {
      add_bodies, add_coordinates, add_joints, add_contacts, add_sensors, add_figures};
  RowWriter out(rows);
  for (std::size_t i = 0; i < tables().size(); ++i)
    if (tables()[i].name == table.name) kRows[i](simulation, out, sensors);
}

double motor_force(const World& world, JointId id, int axis, double h) {
  const JointDef& def = world.joint(id);
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  if (!axes) return 0;
  const JointState& state = world.joint_state(id);
  return motor_part(axes->axes[static_cast<std::size_t>(axis)], state, axis,
                    {coordinate_force(world, def, state, axis), world.joint_velocity(id, axis), h});
}

void for_each_contact_point(
    const Simulation& simulation,
    const std::function<void(const Contact&, const ContactPoint&, const Vec3&, const Vec3&)>& f) {
  const World& world = simulation.world();
  const StepImpulses impulses(simulation);
  const BodyState& s = world.state();
  for (const Contact& c : simulation.contacts()) {
    if (c.disabled || !world.contains(c.a) || !world.contains(c.b)) continue;
    const std::uint32_t a = world.slot(c.a);
    for (int k = 0; k < c.count; ++k) {
      const ContactPoint& p = c.points[static_cast<std::size_t>(k)];
      f(c, p, s.position[a] + rotate(s.orientation[a], p.local_a), impulses.of(c, p));
    }
  }
}

}  // namespace rigor
