// Reads MuJoCo's sensors that a scene can record. Others are listed.
#include <map>
#include <optional>
#include <set>

#include "io/json_text.h"
#include "io/scene_parts.h"
#include "models/mjcf.h"
#include "rigor/error.h"

namespace rigor::models {

using Kind = ModelNote::Kind;

namespace {

using Type = SceneSensor::Type;

const std::map<std::string, Type> kAtSite = {{"velocimeter", Type::velocimeter},
                                             {"gyro", Type::gyro},
                                             {"accelerometer", Type::accelerometer},
                                             {"force", Type::force},
                                             {"torque", Type::torque},
                                             {"touch", Type::touch}};
const std::map<std::string, Type> kAtFrame = {{"framepos", Type::position},           {"framequat", Type::orientation},
                                              {"framexaxis", Type::x_axis},           {"frameyaxis", Type::y_axis},
                                              {"framezaxis", Type::z_axis},           {"framelinvel", Type::velocity},
                                              {"frameangvel", Type::angular_velocity}};
const std::map<std::string, Type> kAtJoint = {
    {"jointpos", Type::joint_position}, {"jointvel", Type::joint_velocity}, {"jointactuatorfrc", Type::motor_force}};

const std::map<std::string, Type> kAtActuator = {
    {"actuatorpos", Type::joint_position}, {"actuatorvel", Type::joint_velocity}, {"actuatorfrc", Type::motor_force}};

/// The name of the joint that an actuator acts on; empty for other actuators.
std::string joint_of(const Attributes& a) { return a.has("joint") ? a.text("joint") : a.text("jointinparent"); }

/// Names that the file gives come first, so that a number never changes one of them without need.
template <class Mount, class NameOf> void number_equal(std::vector<Mount>& mounts, NameOf name_of) {
  std::set<std::string> taken;
  std::map<std::string, int> count;
  for (const bool is_named : {true, false})
    for (Mount& mount : mounts) {
      if (mount.where.text("name").empty() == is_named) continue;
      std::string& name = name_of(mount);
      const std::string wanted = first_characters(name, kMaxNameLength - 12);
      while (!taken.insert(name).second)
        name = wanted + " " + std::to_string(++count.try_emplace(wanted, 1).first->second);
    }
}

}  // namespace

void MjcfReader::number_equal_names() {
  number_equal(robot_.cameras, [](CameraMount& m) -> std::string& { return m.camera.name; });
  number_equal(robot_.sensors, [](SensorMount& m) -> std::string& { return m.sensor.name; });
}

ShapePtr MjcfReader::site_zone(const Attributes& a, std::optional<double> half) const {
  constexpr double kUsual = 0.005;  // m, MuJoCo's default
  const std::vector<double> given = a.has("size") ? a.numbers("size", 1, 3) : std::vector<double>{};
  double size[3];
  for (std::size_t k = 0; k < 3; ++k) size[k] = k < given.size() && given[k] > 0 ? given[k] : kUsual;
  const std::string type = a.word("type", "sphere", {"sphere", "capsule", "ellipsoid", "cylinder", "box"});
  if (half) size[type == "box" || type == "ellipsoid" ? 2 : 1] = *half;
  if (type == "capsule") return along_z(capsule(size[0], 2 * size[1]));
  if (type == "cylinder") return along_z(cylinder(size[0], 2 * size[1]));
  if (type == "box") return box(2 * size[0], 2 * size[1], 2 * size[2]);
  if (type == "ellipsoid") return ellipsoid_hull({size[0], size[1], size[2]});
  return sphere(size[0]);
}

/// Finds the frame that `objtype` and `objname` name. False unless it is that of a body or a site.
bool MjcfReader::find_frame(const Element& e, SensorMount& mount) {
  const std::string type = e.text("objtype"), name = e.text("objname");
  if (type == "site") {
    const Site& site = find_site(e, name, "");
    mount.link = site.link;
    mount.pose = site.pose;
    return true;
  }
  if (type != "body" && type != "xbody") return false;
  mount.link = find_link(e, "objname");
  if (type == "body" && mount.link != kWorld) {  // at the center of mass
    mount.pose.translation = robot_.links[static_cast<std::size_t>(mount.link)].mass.center_of_mass;
    if (e.name() == "framequat" || e.name().ends_with("axis"))
      ledger_.note(e, "objtype", Kind::replaced, "the axes are those of the body, not of its inertia");
  }
  return true;
}

void MjcfReader::list_actuators() {
  if (actuator_of_name_) return;
  actuator_of_name_.emplace();
  for (const Element& e : in_sections("actuator")) {
    std::optional<Attributes> attributes;
    try {
      attributes = attributes_of_actuator(e);
      ++actuators_of_joint_[joint_of(*attributes)];
    } catch (const GiveUp&) {
      throw;
    } catch (const Error&) {
      attributes.reset();  // It is reported when the actuator is read.
    }
    if (!e.text("name").empty()) actuator_of_name_->emplace(e.text("name"), std::move(attributes));
  }
}

/// An actuator has the coordinate γ q of its joint, with its gear γ. Its force F is γ F at the joint, whose motor it is if no other one acts there.
bool MjcfReader::find_actuator(const Element& e, SceneSensor& sensor) {
  list_actuators();
  const std::string name = e.text("actuator");
  const auto at = actuator_of_name_->find(name);
  if (at == actuator_of_name_->end())
    e.fail_missing(name, "actuator: there is no actuator named '" + short_text(name) + "'", *actuator_of_name_);
  const std::optional<Attributes>& found = at->second;
  if (!found) throw Consequence();  // its own mistake is reported
  const JointSpec* joint = find_joint(joint_of(*found));
  if (!joint || joint->type == JointSpec::Type::ball || joint->type == JointSpec::Type::free) {
    ledger_.skip(e, Kind::ignored, "its actuator does not act on a single coordinate of a joint");
    return false;
  }
  const double gear = found->has("gear") ? found->numbers("gear", 1, 6)[0] : 1;
  sensor.type = kAtActuator.at(e.name());
  sensor.joint = joint->name;
  sensor.factor = gear;
  if (sensor.type == Type::joint_position) sensor.offset = gear * joint->ref;
  if (sensor.type != Type::motor_force) return true;
  const std::string kind = found->element().name();
  const bool is_motor = kind == "motor" || kind == "position" || kind == "intvelocity";
  if (!is_motor || actuators_of_joint_[joint_of(*found)] > 1 || gear == 0) {
    ledger_.skip(
        e, Kind::ignored,
        "only the force of a motor or a servo that alone drives its joint is measured, as that of the joint's motor");
    return false;
  }
  sensor.factor = 1 / gear;
  return true;
}

void MjcfReader::read_sensor(const Element& e) {
  SensorMount mount;
  mount.where = e;
  SceneSensor& sensor = mount.sensor;
  sensor.name = e.text("name").empty() ? e.name() : first_characters(e.text("name"), kMaxNameLength);
  const auto find = [&](const std::map<std::string, Type>& types) {
    const auto found = types.find(e.name());
    if (found == types.end()) return false;
    sensor.type = found->second;
    return true;
  };
  if (find(kAtSite)) {
    const Site& site = find_site(e, e.text("site"), "");
    mount.link = site.link;
    mount.pose = site.pose;
    if (sensor.type == Type::touch) sensor.zone = site.zone;
  } else if (find(kAtFrame)) {
    if (!find_frame(e, mount) || e.has("reftype") || e.has("refname")) {
      ledger_.skip(e, Kind::ignored, "only frames of bodies and sites are measured, in the axes of the world");
      return;
    }
  } else if (find(kAtJoint)) {
    const JointSpec* joint = find_joint(e.text("joint"));
    if (!joint)
      e.fail_missing(e.text("joint"), "joint: there is no joint named '" + short_text(e.text("joint")) + "'",
                     joint_of_name_);
    if (joint->type == JointSpec::Type::ball || joint->type == JointSpec::Type::free) {
      ledger_.skip(e, Kind::ignored, "the joint has no single coordinate");
      return;
    }
    sensor.joint = joint->name;
    if (sensor.type == Type::joint_position) sensor.offset = joint->ref;
  } else if (kAtActuator.contains(e.name())) {
    if (!find_actuator(e, sensor)) return;
  } else if (e.name() == "clock") {
    sensor.type = Type::clock;
  } else {
    ledger_.skip(e, Kind::ignored,
                 "sensors of this kind are not measured; recordings hold positions, velocities and forces");
    return;
  }
  robot_.sensors.push_back(std::move(mount));
}

}  // namespace rigor::models
