#include "lab/sensor_reader.h"

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

std::vector<SensorReading> SensorReader::read(const Simulation& simulation) {
  const World& world = simulation.world();
  const bool is_first = velocity_.size() != sensors_.size() || simulation.time() <= time_;
  velocity_.resize(sensors_.size());
  measure_step(simulation);
  const double elapsed = simulation.time() - time_;
  time_ = simulation.time();
  std::vector<SensorReading> readings;
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const SceneSensor& sensor = sensors_[i];
    if (sensor.type == Type::clock) {
      readings.push_back({&sensor, {simulation.time()}});
      continue;
    }
    if (!sensor.joint.empty()) {
      if (std::vector<double> values = joint_values(sensor, world, step_); !values.empty())
        readings.push_back({&sensor, std::move(values)});
      continue;
    }
    const std::optional<SensorFrame> frame = frame_of(sensor, world);
    if (!frame) continue;
    const Quat& R = frame->pose.rotation;
    const Vec3 acceleration = is_first ? Vec3{} : (frame->velocity - velocity_[i]) / elapsed;
    velocity_[i] = frame->velocity;
    std::vector<double> values;
    switch (sensor.type) {
      case Type::position: values = list(frame->pose.translation); break;
      case Type::orientation: values = {R.w, R.x, R.y, R.z}; break;
      case Type::x_axis: values = list(rotate(R, {1, 0, 0})); break;
      case Type::y_axis: values = list(rotate(R, {0, 1, 0})); break;
      case Type::z_axis: values = list(rotate(R, {0, 0, 1})); break;
      case Type::velocity: values = list(frame->velocity); break;
      case Type::angular_velocity: values = list(frame->spin); break;
      case Type::velocimeter: values = list(rotate_inverse(R, frame->velocity)); break;
      case Type::gyro: values = list(rotate_inverse(R, frame->spin)); break;
      case Type::accelerometer: values = list(rotate_inverse(R, acceleration - gravity_at(world, frame->body))); break;
      case Type::force: values = list(rotate_inverse(R, joint_reaction(*frame, world).first)); break;
      case Type::torque: values = list(rotate_inverse(R, joint_reaction(*frame, world).second)); break;
      default: values = {touch_force(sensor, *frame, simulation, step_)}; break;
    }
    readings.push_back({&sensor, std::move(values)});
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
