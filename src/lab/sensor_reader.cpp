#include "lab/sensor_reader.h"

#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "lab/run_tables.h"
#include "narrowphase/shape_queries.h"

namespace rigor {

namespace {

using Type = SceneSensor::Type;

/// The frame of a sensor in the world, and its motion.
struct SensorFrame {
  BodyId body;  // null for the world
  Transform pose;
  Vec3 velocity, spin;
};

std::optional<SensorFrame> frame_of(const SceneSensor& sensor, const World& world) {
  SensorFrame frame;
  frame.pose = {sensor.position, sensor.orientation};
  if (sensor.body.empty()) return frame;
  frame.body = world.find_body(sensor.body);
  if (!frame.body) return std::nullopt;
  frame.pose = Transform{world.position(frame.body), world.orientation(frame.body)} * frame.pose;
  frame.spin = world.angular_velocity(frame.body);
  frame.velocity =
      world.velocity(frame.body) + cross(frame.spin, frame.pose.translation - world.center_of_mass(frame.body));
  return frame;
}

Vec3 gravity_at(const World& world, BodyId body) {
  if (!world.contains(world.gravity())) return {};
  const auto* gravity = dynamic_cast<const Gravity*>(world.force(world.gravity()).effect.get());
  if (!gravity) return {};
  return gravity->acceleration * (body ? world.body_def(body).gravity_factor : 1.0);
}

/// Force, and torque about the frame's origin, that the joints to its parents exert on the body.
std::pair<Vec3, Vec3> joint_reaction(const SensorFrame& frame, const World& world) {
  Vec3 force, torque;
  for (const JointId id : world.joints()) {
    const JointDef& def = world.joint(id);
    if (def.b != frame.body || !std::holds_alternative<AxesJoint>(def.kind)) continue;
    const JointState& state = world.joint_state(id);
    const Vec3 anchor =
        transform_point(Transform{world.position(def.b), world.orientation(def.b)}, def.frame_b.translation);
    force += state.force;
    torque += state.torque + cross(anchor - frame.pose.translation, state.force);
  }
  return {force, torque};
}

double touch_force(const SceneSensor& sensor, const SensorFrame& frame, const Simulation& simulation, double step) {
  if (!(step > 0)) return 0;
  static const ShapePtr kPoint = sphere(1e-9);
  double impulse = 0;
  for_each_contact_point(simulation, [&](const Contact& c, const ContactPoint&, const Vec3& position, const Vec3& j) {
    if (c.a != frame.body && c.b != frame.body) return;
    const Vec3 local = transform_point(inverse(frame.pose), position);
    if (sensor.zone && !shapes_overlap(*sensor.zone, *kPoint, {local, {}})) return;
    impulse += dot(j, c.normal);
  });
  return impulse / step;
}

std::vector<double> list(const Vec3& v) { return {v.x, v.y, v.z}; }

std::vector<double> joint_values(const SceneSensor& sensor, const World& world, double step) {
  const JointId id = world.find_joint(sensor.joint);
  if (!id) return {};
  switch (sensor.type) {
    case Type::joint_position: return {sensor.offset + sensor.factor * world.joint_position(id, sensor.axis)};
    case Type::joint_velocity: return {sensor.factor * world.joint_velocity(id, sensor.axis)};
    default: return {sensor.factor * motor_force(world, id, sensor.axis, step)};
  }
}

/// True if a multiple of 1/rate lies after `last` and at or before `now`, or if `now` is no later than `last`.
bool is_due(double rate, double last, double now) {
  if (!(rate > 0) || now <= last) return true;
  constexpr double kRounding = 1e-6;  // of a period. Chosen: sums of steps miss a multiple by less.
  return std::floor(now * rate + kRounding) > std::floor(last * rate + kRounding);
}

}  // namespace

void SensorReader::measure_step(const Simulation& simulation) {
  const std::uint64_t steps = simulation.steps();
  const double time = simulation.time();
  if (steps > steps_ && time > time_)
    step_ = (time - time_) / static_cast<double>(steps - steps_);
  else if (steps != steps_ || time != time_)  // It was reset or restored.
    step_ = steps > 0 ? time / static_cast<double>(steps) : 0;
  steps_ = steps;
}

std::vector<double> SensorReader::measure(const SceneSensor& sensor, Measured& last,
                                          const Simulation& simulation) const {
  const World& world = simulation.world();
  if (sensor.type == Type::clock) return {simulation.time()};
  if (!sensor.joint.empty()) return joint_values(sensor, world, step_);
  const std::optional<SensorFrame> frame = frame_of(sensor, world);
  if (!frame) return {};
  const Quat& R = frame->pose.rotation;
  const double elapsed = simulation.time() - last.time;
  const bool is_first = last.values.empty() || elapsed <= 0;
  const Vec3 acceleration = is_first ? Vec3{} : (frame->velocity - last.velocity) / elapsed;
  last.velocity = frame->velocity;
  switch (sensor.type) {
    case Type::position: return list(frame->pose.translation);
    case Type::orientation: return {R.w, R.x, R.y, R.z};
    case Type::x_axis: return list(rotate(R, {1, 0, 0}));
    case Type::y_axis: return list(rotate(R, {0, 1, 0}));
    case Type::z_axis: return list(rotate(R, {0, 0, 1}));
    case Type::velocity: return list(frame->velocity);
    case Type::angular_velocity: return list(frame->spin);
    case Type::velocimeter: return list(rotate_inverse(R, frame->velocity));
    case Type::gyro: return list(rotate_inverse(R, frame->spin));
    case Type::accelerometer: return list(rotate_inverse(R, acceleration - gravity_at(world, frame->body)));
    case Type::force: return list(sensor.factor * rotate_inverse(R, joint_reaction(*frame, world).first));
    case Type::torque: return list(sensor.factor * rotate_inverse(R, joint_reaction(*frame, world).second));
    default: return {touch_force(sensor, *frame, simulation, step_)};
  }
}

std::vector<SensorReading> SensorReader::read(const Simulation& simulation) {
  const double time = simulation.time();
  if (time < time_) measured_.clear();  // It was reset or restored.
  measured_.resize(sensors_.size());
  measure_step(simulation);
  time_ = time;
  std::vector<SensorReading> readings;
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const SceneSensor& sensor = sensors_[i];
    Measured& last = measured_[i];
    if (last.values.empty() || is_due(sensor.rate, last.time, time)) {
      last.values = measure(sensor, last, simulation);
      last.time = time;
    }
    if (!last.values.empty()) readings.push_back({&sensor, last.values});
  }
  return readings;
}

std::string unit_of(const SceneSensor& sensor) {
  using Type = SceneSensor::Type;
  const bool is_angle = sensor.axis >= 3;
  switch (sensor.type) {
    case Type::position: return "m";
    case Type::velocity:
    case Type::velocimeter: return "m/s";
    case Type::angular_velocity:
    case Type::gyro: return "rad/s";
    case Type::accelerometer: return "m/s²";
    case Type::force:
    case Type::touch: return "N";
    case Type::torque: return "N m";
    case Type::joint_position: return is_angle ? "rad" : "m";
    case Type::joint_velocity: return is_angle ? "rad/s" : "m/s";
    case Type::motor_force: return is_angle ? "N m" : "N";
    case Type::clock: return "s";
    case Type::orientation:
    case Type::x_axis:
    case Type::y_axis:
    case Type::z_axis: break;
  }
  return "";
}

const char* component_name(std::size_t component, std::size_t count) {
  static constexpr const char* kNames[] = {"w", "x", "y", "z"};
  return count == 1 ? "value" : kNames[component + (count == 4 ? 0 : 1)];
}

}  // namespace rigor
