// Cameras and inertial sensors that <gazebo> puts on links. Gazebo's cameras look along x with z up, those of scenes along −z with y up.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "models/urdf_gazebo.h"
#include "rigor/error.h"
#include "rigor/euler.h"

namespace rigor::models {

namespace {

using Kind = ModelNote::Kind;

class SensorReader {
 public:
  SensorReader(Robot& robot, Ledger& ledger) : robot_(robot), ledger_(ledger) {}

  void read(const Element& sensor, int link) {
    const std::string type = sensor.text("type");
    try {
      if (type == "camera" || type == "depth" || type == "depth_camera" || type == "rgbd_camera")
        return add_camera(sensor, link);
      if (type == "imu") return add_inertial(sensor, link);
      ledger_.skip(sensor, Kind::ignored, "sensors of this kind are not measured");
    } catch (const Error& error) {
      ledger_.skip(sensor, Kind::ignored, std::string("it is left out: ") + error.what());
    }
  }

 private:
  static Element first(const Element& e, const char* name) { return {e.node().child(name), e.file()}; }

  static std::vector<double> numbers(const Element& e, std::size_t count) {
    return parse_numbers(e.node().child_value(), count, count);
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

  void add_camera(const Element& sensor, int link) {
    const Element camera = first(sensor, "camera");
    const Element image = first(camera, "image");
    const double across = number(camera, "horizontal_fov", kPi / 3);
    const double width = number(image, "width", 4), height = number(image, "height", 3);
    if (!(across > 0 && across < kPi && width > 0 && height > 0))
      throw Error("expected a horizontal_fov between 0 and pi and a picture with a width and a height");
    const double fov = 2 * std::atan(std::tan(across / 2) * height / width) * 180 / kPi;
    if (!(fov >= 0.1 && fov <= 179)) throw Error("its vertical angle of view is not between 0.1 and 179 degrees");
    static const Quat kLookAlongX = quaternion_from_matrix(transpose(Mat3{{{0, -1, 0}, {0, 0, 1}, {-1, 0, 0}}}));
    CameraMount mount;
    mount.where = sensor;
    mount.link = link;
    mount.pose = pose(sensor) * pose(camera);
    mount.pose.rotation = mount.pose.rotation * kLookAlongX;
    mount.camera.name = own_name(sensor, "");
    mount.camera.fov = fov;
    robot_.cameras.push_back(std::move(mount));
  }

  void add_inertial(const Element& sensor, int link) {
    const Transform frame = pose(sensor);
    using Type = SceneSensor::Type;
    for (const auto& [type, suffix] : {std::pair(Type::accelerometer, ".accelerometer"), std::pair(Type::gyro, ".gyro"),
                                       std::pair(Type::orientation, ".orientation")}) {
      SensorMount mount;
      mount.where = sensor;
      mount.link = link;
      mount.pose = frame;
      mount.sensor.type = type;
      mount.sensor.name = own_name(sensor, suffix);
      robot_.sensors.push_back(std::move(mount));
    }
  }

  Robot& robot_;
  Ledger& ledger_;
  std::set<std::string> taken_;
  std::map<std::string, int> next_number_;  // by name
};

}  // namespace

void read_gazebo_sensors(const Element& root, Robot& robot, Ledger& ledger) {
  std::map<std::string, int> links;
  for (std::size_t i = 0; i < robot.links.size(); ++i) links.emplace(robot.links[i].name, static_cast<int>(i));
  SensorReader reader(robot, ledger);
  for (const Element& e : root.children("gazebo")) {
    const auto found = links.find(e.text("reference"));
    for (const Element& sensor : e.children("sensor"))
      if (found == links.end())
        ledger.skip(sensor, Kind::ignored, "it is on no link");
      else
        reader.read(sensor, found->second);
  }
}

}  // namespace rigor::models
