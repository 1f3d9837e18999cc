// Cameras and instruments that <gazebo> puts on links and joints, and those of <sensor> of the robot itself. Cameras of Gazebo look along x with z up, those of
// scenes along −z with y up.
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>
#include <utility>

#include "io/appearance_parts.h"
#include "io/json_text.h"
#include "io/scene_limits.h"
#include "models/urdf_gazebo.h"
#include "rigor/error.h"
#include "rigor/euler.h"

namespace rigor::models {

namespace {

using Kind = ModelNote::Kind;

constexpr const char* kPictureRate = "pictures are taken when a viewer or a command asks for one";

class SensorReader {
 public:
  SensorReader(Robot& robot, Ledger& ledger) : robot_(robot), ledger_(ledger) {}

  static Element first(const Element& e, const char* name) { return {e.node().child(name), e.file()}; }

  /// A sensor of <gazebo>.
  void read(const Element& sensor, int link) {
    attempt(sensor, [&] {
      rate_ = checked_rate(number(sensor, "update_rate", 0));
      add(sensor, link, pose(sensor));
    });
  }

  /// A sensor of <robot>: its parent and its origin are elements of their own.
  void read_own(const Element& sensor, int link) {
    const Element origin = first(sensor, "origin");
    const Transform frame = {origin ? origin.vector("xyz", {}) : Vec3{},
                             quaternion_from_euler(origin ? origin.vector("rpy", {}) : Vec3{})};
    attempt(sensor, [&] {
      rate_ = checked_rate(sensor.number("update_rate", 0));
      add(sensor, link, frame);
    });
  }

 private:
  template <class Read> void attempt(const Element& sensor, Read read) {
    try {
      read();
    } catch (const GiveUp&) {
      throw;
    } catch (const Error& error) {
      ledger_.skip(sensor, Kind::ignored, std::string("it is left out: ") + error.what());
    }
  }

  void add(const Element& sensor, int link, const Transform& frame) {
    using Type = SceneSensor::Type;
    const std::string type = sensor.text("type");
    if (type == "camera" || type == "depth" || type == "depth_camera" || type == "rgbd_camera")
      return add_camera(sensor, link, frame);
    if (type == "imu")
      return add_instruments(
          sensor, link, frame,
          {{Type::accelerometer, ".accelerometer"}, {Type::gyro, ".gyro"}, {Type::orientation, ".orientation"}});
    if (type == "accelerometer") return add_instruments(sensor, link, frame, {{Type::accelerometer, ""}});
    if (type == "gyroscope") return add_instruments(sensor, link, frame, {{Type::gyro, ""}});
    if (type == "force_torque") return add_force_torque(sensor, link, frame);
    if (type == "contact") return add_touch(sensor, link);
    ledger_.skip(sensor, Kind::ignored, "sensors of this kind are not measured");
  }

  static std::vector<double> numbers(const Element& e, std::size_t count) {
    return parse_numbers(e.node().child_value(), count, count);
  }

  /// 0 stands for every step, as in Gazebo.
  static double checked_rate(double rate) {
    if (rate != 0 && !(rate >= kSensorRateRange.min && rate <= kSensorRateRange.max))
      throw Error("expected an update_rate of 0 or from 1e-6 to 1e9 Hz");
    return rate;
  }

  static double number(const Element& holder, const char* name, double usual) {
    const Element e = first(holder, name);
    return e ? numbers(e, 1)[0] : usual;
  }

  /// "x y z roll pitch yaw" of an element <pose>.
  static Transform pose(const Element& holder) {
    const Element e = first(holder, "pose");
    if (!e) return {};
    const std::vector<double> v = numbers(e, 6);
    return {{v[0], v[1], v[2]}, quaternion_from_euler({v[3], v[4], v[5]})};
  }

  /// Scenes refuse two sensors of one name.
  std::string own_name(const Element& sensor, const std::string& suffix) {
    const std::string given = sensor.text("name").empty() ? "sensor" : sensor.text("name");
    const std::string base = first_characters(given, kMaxNameLength - 40) + suffix;
    std::string name = base;
    for (int& n = next_number_[base]; !taken_.insert(name).second;) {
      n = std::max(n, 1) + 1;
      name = base + " " + std::to_string(n);
    }
    return name;
  }

  void add_camera(const Element& sensor, int link, const Transform& frame) {
    const Element camera = first(sensor, "camera");
    const Element image = first(camera, "image");
    const double across = number(camera, "horizontal_fov", kPi / 3);
    const double width = number(image, "width", 4), height = number(image, "height", 3);
    if (!(across > 0 && across < kPi && width > 0 && height > 0))
      throw Error("expected a horizontal_fov between 0 and pi and a picture with a width and a height");
    const double fov = 2 * std::atan(std::tan(across / 2) * height / width) * 180 / kPi;
    if (!(fov >= 0.1 && fov <= 179)) throw Error("its vertical angle of view is not between 0.1 and 179 degrees");
    static const Quat kLookAlongX = quaternion_from_matrix(transpose(Mat3{{{0, -1, 0}, {0, 0, 1}, {-1, 0, 0}}}));
    if (const Element e = first(sensor, "update_rate"); e && rate_ > 0)
      ledger_.note(e, "", Kind::appearance, kPictureRate);
    else if (rate_ > 0)
      ledger_.note(sensor, "update_rate", Kind::appearance, kPictureRate);
    CameraMount mount;
    mount.where = sensor;
    mount.link = link;
    mount.pose = frame * pose(camera);
    mount.pose.rotation = mount.pose.rotation * kLookAlongX;
    mount.camera.name = own_name(sensor, "");
    mount.camera.fov = fov;
    robot_.cameras.push_back(std::move(mount));
  }

  void add_instruments(const Element& sensor, int link, const Transform& frame,
                       std::initializer_list<std::pair<SceneSensor::Type, const char*>> parts, double factor = 1) {
    for (const auto& [type, suffix] : parts) {
      SensorMount mount;
      mount.where = sensor;
      mount.link = link;
      mount.pose = frame;
      mount.sensor.type = type;
      mount.sensor.name = own_name(sensor, suffix);
      mount.sensor.factor = factor;
      mount.sensor.rate = rate_;
      robot_.sensors.push_back(std::move(mount));
    }
  }

  /// The joint above a link exists if both ends are bodies of their own.
  bool has_joint_above(int link) const {
    const auto at = [this](int i) -> const Link& { return robot_.links[static_cast<std::size_t>(i)]; };
    if (at(link).mass.mass <= 0 || at(link).parent == kWorld) return false;
    for (int i = link; i != kWorld; i = at(i).parent)
      if (!at(i).joints.empty()) return true;
    return false;
  }

  void add_force_torque(const Element& sensor, int link, const Transform& frame) {
    using Type = SceneSensor::Type;
    if (!has_joint_above(link)) {
      ledger_.skip(sensor, Kind::ignored,
                   "it is left out: the link has no mass or does not move, so that no joint of its own carries it");
      return;
    }
    const Element settings = first(sensor, "force_torque");
    const auto word = [&](const char* name, const char* usual) {
      const Element e = first(settings, name);
      return e ? trimmed_text(e) : std::string(usual);
    };
    const std::string axes = word("frame", "child"), direction = word("measure_direction", "child_to_parent");
    if (axes == "parent")
      ledger_.remark(sensor, Kind::replaced, "its axes are those of the child, not those of the parent");
    const bool is_opposite = direction != "parent_to_child";
    add_instruments(sensor, link, axes == "sensor" ? frame : Transform{},
                    {{Type::force, ".force"}, {Type::torque, ".torque"}}, is_opposite ? -1 : 1);
  }

  void add_touch(const Element& sensor, int link) {
    ledger_.remark(sensor, Kind::replaced, "it measures the sum of the normal forces of all contacts of the link");
    add_instruments(sensor, link, {}, {{SceneSensor::Type::touch, ""}});
  }

  static std::string trimmed_text(const Element& e) {
    const std::string text = e.node().child_value();
    const std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
  }

  Robot& robot_;
  Ledger& ledger_;
  double rate_ = 0;  // 1/s, of the sensor that is read
  std::set<std::string> taken_;
  std::map<std::string, int> next_number_;  // by name
};

}  // namespace

void read_sensors(const Element& root, Robot& robot, Ledger& ledger) {
  std::map<std::string, int> links, children;  // by the name of the link, and of the joint above it
  for (std::size_t i = 0; i < robot.links.size(); ++i) links.emplace(robot.links[i].name, static_cast<int>(i));
  for (const Element& joint : root.children("joint"))
    if (const auto found = links.find(SensorReader::first(joint, "child").text("link")); found != links.end())
      children.emplace(joint.text("name"), found->second);
  SensorReader reader(robot, ledger);
  const auto find = [](const std::map<std::string, int>& all, const std::string& name) {
    const auto found = all.find(name);
    return found == all.end() ? kWorld : found->second;
  };
  for (const Element& e : root.children("gazebo"))
    for (const Element& sensor : e.children("sensor")) {
      const bool is_of_joint = sensor.text("type") == "force_torque";
      const int link = find(is_of_joint ? children : links, e.text("reference"));
      if (link == kWorld)
        ledger.skip(sensor, Kind::ignored, is_of_joint ? "it is at no joint" : "it is on no link");
      else
        reader.read(sensor, link);
    }
  for (const Element& sensor : root.children("sensor")) {
    const Element parent = SensorReader::first(sensor, "parent");
    const int link = parent && parent.has("link") ? find(links, parent.text("link"))
                                                  : find(children, parent ? parent.text("joint") : "");
    if (link == kWorld)
      ledger.skip(sensor, Kind::ignored, "its parent is no link or joint of the robot");
    else
      sensor.attempt([&] { reader.read_own(sensor, link); });
  }
}

}  // namespace rigor::models
