// URDF: links and joints form a tree; every joint frame is the frame of its child.
#include "models/urdf.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "io/json_text.h"
#include "io/scene_parts.h"
#include "models/urdf_gazebo.h"
#include "models/urdf_geoms.h"
#include "registry/suggest.h"
#include "rigor/error.h"
#include "rigor/euler.h"

namespace rigor::models {

namespace {

using Kind = ModelNote::Kind;

double first_number(const Element& e, const char* attribute, double usual) {
  return e && e.has(attribute) ? e.numbers(attribute, 1, 6)[0] : usual;
}

/// A bound of a <limit>. Files write 1e16, 1e308 or inf where they mean none; such a number counts as the largest one that is read.
double bound(const Element& limit, const char* attribute) {
  const std::string text = limit.text(attribute);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && !std::isnan(value);
  return is_number ? std::clamp(value, kPositionRange.min, kPositionRange.max) : limit.number(attribute, 0);
}

/// s. URDF has no step. Chosen: that of PyBullet; MuJoCo takes 1/500 s and Gazebo 1/1000 s. Grippers hold boxes with it that slip at 1/60 s.
constexpr double kStep = 1.0 / 240;

class UrdfReader {
 public:
  UrdfReader(const Element& root, const FileAccess& files, bool fix_base, Ledger& ledger)
      : root_(root),
        fix_base_(fix_base),
        ledger_(ledger),
        extensions_(root, ledger),
        geoms_(files, extensions_, robot_, ledger) {}

  Robot read() {
    robot_.name = root_.text("name");
    robot_.step = kStep;
    robot_.ground_under_it = true;
    robot_.separate_overlaps = true;
    for (const Element& e : root_.children("material")) e.attempt([&] { geoms_.read_material(e); });
    for (const Element& e : root_.children("link")) e.attempt([&] { collect(e, links_, link_order_, "link"); });
    for (const char* name : {"joint", "drake:joint"})
      for (const Element& e : root_.children(name)) e.attempt([&] { collect(e, joints_, joint_order_, "joint"); });
    extensions_.check_names(links_, joints_);
    robot_.smaller_friction_counts = extensions_.has_friction();
    connect();
    fill_links(robot_, ledger_);
    separate_own_links();
    add_mimics_of_plugins();
    read_drake_extensions(root_, robot_, ledger_);
    read_sensors(root_, robot_, ledger_);
    start_followers(robot_, ledger_);
    warn_of_unlimited_joints();
    if (held_ > 0)
      ledger_.warn("motors hold " + std::to_string(held_) + (held_ == 1 ? " joint" : " joints") +
                   " at rest, since transmissions command positions or velocities; these are motors of velocity, so "
                   "that keys of "
                   "their drives are rad/s or m/s, also where positions are commanded");
    return std::move(robot_);
  }

 private:
  /// Where mistakes are collected, an element without a name gets one made of its line, and the reading continues.
  static std::string name_of(const Element& e) {
    const std::string name = e.text("name");
    if (!name.empty()) return name;
    e.attempt([&] { e.fail("its name is missing"); });
    return e.name() + " of line " + std::to_string(e.line());
  }

  void collect(const Element& e, std::map<std::string, Element>& all, std::vector<std::string>& order,
               const char* what) {
    const std::string name = name_of(e);
    if (!all.emplace(name, e).second)
      e.fail(std::string("there is already a ") + what + " named '" + short_text(name) + "'");
    order.push_back(name);
  }

  // ---- links --------------------------------------------------------------------------------------

  static Element first_inertial(const Element& link) { return {link.node().child("inertial"), link.file()}; }

  void read_inertial(const Element& e, Link& link) const {
    const Element inertial = first_inertial(e);
    if (!inertial) return;
    for (const Element& other : e.children("inertial"))  // such files are published, and urdfdom reads the first one
      if (other.node() != inertial.node())
        ledger_.skip(other, Kind::ignored, "the link has an <inertial> already; this one is left out");
    const Element mass = inertial.child("mass"), inertia = inertial.child("inertia");
    const double m = mass ? mass.number("value", 0) : 0;
    const auto moment = [&](const char* key) { return inertia ? inertia.number(key, 0) : 0; };
    const Mat3 I{{{moment("ixx"), moment("ixy"), moment("ixz")},
                  {moment("ixy"), moment("iyy"), moment("iyz")},
                  {moment("ixz"), moment("iyz"), moment("izz")}}};
    const Transform origin = read_origin(inertial);
    if (m < 0) mass.fail("a mass must not be negative");
    if (m == 0) return;
    mass.check_range("value", m, kMassRange, "a mass in kg");
    const Mat3 R = rotation_matrix(origin.rotation);
    link.mass = {m, origin.translation, origin.rotation == Quat{} ? I : R * I * transpose(R)};
  }

  /// A root that says that its mass is zero does not move, as Bullet has it; one that says nothing moves freely with its children.
  static bool is_anchor(const Link& link) {
    const Element inertial = first_inertial(link.where);
    return inertial && inertial.child("mass") && link.mass.mass == 0;
  }

  int add_link(const std::string& name, int parent, const Element* joint) {
    const auto found = links_.find(name);
    Link link;
    link.name = name;
    link.parent = parent;
    link.gravity_factor = extensions_.link(name).has_weight ? 1 : 0;
    if (found != links_.end()) {
      link.where = found->second;
      link.where.attempt([&] { read_inertial(link.where, link); });
      link.where.attempt([&] { geoms_.read(link.where, link); });
    } else {
      link.where = joint ? *joint : root_;
    }
    if (joint) {
      joint->attempt([&] {
        link.pose = read_origin(*joint);
        read_joint(*joint, link);
      });
    } else if (name != "world" && !is_anchor(link) && !fix_base_ && !extensions_.is_static()) {
      JointSpec free;
      free.type = JointSpec::Type::free;
      free.where = link.where;
      link.joints.push_back(free);
    }
    return robot_.add(std::move(link));
  }

  // ---- joints -------------------------------------------------------------------------------------

  Vec3 read_axis(const Element& joint, const Vec3& usual) const {
    const Element axis = joint.child("axis");
    const Vec3 v = axis ? axis.vector("xyz", usual) : usual;
    if (length(v) > 1e-9) return normalized(v);
    (axis ? axis : joint).attempt([&] { (axis ? axis : joint).fail("the axis is zero"); });
    return usual;
  }

  JointSpec spec(const Element& e, JointSpec::Type type, const Vec3& axis, const std::string& suffix = "") const {
    JointSpec s;
    s.type = type;
    s.name = name_of(e) + suffix;
    s.axis = axis;
    s.where = e;
    for (const char* child : {"dynamics", "joint_properties"}) {
      const Element dynamics = e.child(child);
      if (!dynamics) continue;
      const auto not_negative = [&](const char* key, double usual) {
        const double given = first_number(dynamics, key, usual);
        if (given >= 0) return given;
        dynamics.attempt([&] { dynamics.fail(std::string(key) + ": must not be negative"); });
        return usual;
      };
      s.damping = not_negative("damping", s.damping);
      s.friction = not_negative("friction", s.friction);
      s.stiffness = not_negative("spring_stiffness", s.stiffness);
      s.rest = first_number(dynamics, "spring_reference", s.rest);
    }
    if (const GazeboJoint& gazebo = extensions_.joint(name_of(e)); gazebo.stiffness > 0 && suffix.empty()) {
      s.stiffness = gazebo.stiffness;
      s.rest = gazebo.rest;
    }
    if (const Element limit = e.child("limit")) read_effort(limit, s);
    return s;
  }

  /// A joint whose position or velocity is commanded rests until a drive moves it, unless it follows another one.
  void hold(JointSpec& s) {
    if (!extensions_.is_held(s.name) || s.motor.max_force == 0 || s.where.child("mimic") || extensions_.follows(s.name))
      return;
    s.motor.kind = AxisMotor::Kind::velocity;
    ++held_;
  }

  /// Gazebo before its version 8 needed a plugin beside each <mimic>, and some files have the plugin alone.
  void add_mimics_of_plugins() {
    std::set<std::string> following;
    for (const Mimic& m : robot_.mimics) following.insert(m.joint);
    for (const Mimic& m : extensions_.mimics()) {
      if (!joints_.contains(m.joint) || !joints_.contains(m.leader))
        ledger_.skip(m.where, Kind::ignored, "there is no such joint");
      else if (following.insert(m.joint).second)
        robot_.mimics.push_back(m);
    }
  }

  void read_effort(const Element& limit, JointSpec& s) const {
    if (bound(limit, "velocity") >= kUrdfNoBound) ledger_.honour(limit, "velocity");
    if (!limit.has("effort")) return;
    const double effort = bound(limit, "effort");
    if (effort >= 0 && effort < kUrdfNoBound) s.motor.max_force = effort;
    if (effort < 0)
      ledger_.note(limit, "effort", Kind::replaced,
                   "a negative effort bounds nothing; motors push as much as they need");
  }

  void set_limits(const Element& e, JointSpec& s) {
    const Element limit = e.child("limit");
    if (!limit) {  // Drake, Bullet and MuJoCo read it in the same way
      unlimited_.push_back(name_of(e));
      return;
    }
    if (!limit.has("lower") && !limit.has("upper")) {
      ledger_.remark(limit, Kind::replaced, "neither lower nor upper is given; the joint moves without a limit");
      return;
    }
    const double lower = bound(limit, "lower"), upper = bound(limit, "upper");
    if (lower > upper) limit.fail("the lower limit is above the upper one");
    if (lower > -kUrdfNoBound) s.lower = lower;
    if (upper < kUrdfNoBound) s.upper = upper;
    s.limited = std::isfinite(s.lower) || std::isfinite(s.upper);
  }

  void note_unused_limits(const Element& e) {
    const Element limit = e.child("limit");
    for (const char* attribute : {"lower", "upper"})
      if (limit && limit.has(attribute))
        ledger_.note(limit, attribute, Kind::ignored, "a continuous joint turns without limits");
  }

  void warn_of_unlimited_joints() const {
    if (unlimited_.empty()) return;
    constexpr std::size_t kMostNames = 5;
    std::string names;
    for (std::size_t i = 0; i < std::min(unlimited_.size(), kMostNames); ++i)
      names += (i == 0 ? "'" : ", '") + short_text(unlimited_[i]) + "'";
    if (unlimited_.size() > kMostNames) names += " and " + std::to_string(unlimited_.size() - kMostNames) + " more";
    ledger_.warn("revolute and prismatic joints without a <limit> move without one: " + names);
  }

  /// Slides by the pitch with every turn: x = pitch φ / 2π.
  void read_screw(const Element& e, Link& link) {
    const Vec3 axis = read_axis(e, {0, 0, 1});
    link.joints.push_back(spec(e, JointSpec::Type::slide, axis, ".along"));
    link.joints.push_back(spec(e, JointSpec::Type::hinge, axis, ".about"));
    link.joints[0].damping = 0, link.joints[0].friction = 0, link.joints[0].stiffness = 0;  // given for the angle
    const Element pitch = e.child("drake:screw_thread_pitch");
    const double per_turn = pitch ? pitch.number("value", 0) : 0;
    if (per_turn == 0) {
      ledger_.note(e, "type", Kind::replaced,
                   "a screw without a pitch slides along its axis and turns about it freely");
      return;
    }
    robot_.mimics.push_back({name_of(e) + ".along", name_of(e) + ".about", per_turn / (2 * kPi), 0, e});
  }

  void read_joint(const Element& e, Link& link) {
    using Type = JointSpec::Type;
    const std::string type = e.text("type");
    const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    if (extensions_.is_static()) return;
    if (type == "fixed") {
      if (const Element mimic = e.child("mimic")) ledger_.skip(mimic, Kind::ignored, "a fixed joint follows no other");
      return;
    }
    if (type == "revolute" || type == "continuous" || type == "prismatic") {
      JointSpec s = spec(e, type == "prismatic" ? Type::slide : Type::hinge, read_axis(e, x));
      if (type == "continuous")
        note_unused_limits(e);
      else
        e.attempt([&] { set_limits(e, s); });
      hold(s);
      link.joints.push_back(s);
    } else if (type == "floating") {
      link.joints.push_back(spec(e, Type::free, z));
    } else if (type == "planar") {
      const Vec3 normal = read_axis(e, x);
      Vec3 t1, t2;
      tangents(normal, t1, t2);
      link.joints.push_back(spec(e, Type::slide, t1, ".x"));
      link.joints.push_back(spec(e, Type::slide, t2, ".y"));
      link.joints.push_back(spec(e, Type::hinge, normal, ".angle"));
    } else if (type == "ball" || type == "spherical") {
      link.joints.push_back(spec(e, Type::ball, z));
    } else if (type == "universal") {
      link.joints.push_back(spec(e, Type::hinge, x, ".x"));
      link.joints.push_back(spec(e, Type::hinge, y, ".y"));
    } else if (type == "screw") {
      read_screw(e, link);
    } else if (e.name() == "joint" && type != "curvilinear") {
      e.fail("type: there is no joint type '" + short_text(type) + "'" +
             did_you_mean(type, {"fixed", "revolute", "continuous", "prismatic", "planar", "floating", "ball",
                                 "universal", "screw"}));
    } else {
      ledger_.skip(e, Kind::replaced,
                   "joints of the type '" + short_text(type) + "' do not exist here; the link is fixed to its parent");
    }
    if (const Element mimic = e.child("mimic"))
      robot_.mimics.push_back(
          {name_of(e), mimic.text("joint"), mimic.number("multiplier", 1), mimic.number("offset", 0), mimic});
  }

  // ---- the tree -----------------------------------------------------------------------------------

  std::string end_of(const Element& joint, const char* key) const {
    const Element end = joint.child(key);
    if (!end || end.text("link").empty()) joint.fail(std::string("its ") + key + " link is missing");
    return end.text("link");
  }

  void connect() {
    for (const std::string& name : joint_order_) {
      const Element& joint = joints_.at(name);
      joint.attempt([&] { hang(joint); });
    }
    if (joints_of_.contains("world") && !links_.contains("world")) link_order_.insert(link_order_.begin(), "world");
    std::size_t placed = 0;
    for (const std::string& name : link_order_) {
      if (parent_of_.contains(name)) continue;
      std::vector<std::pair<std::string, int>> open;
      open.emplace_back(name, add_link(name, kWorld, nullptr));
      ++placed;
      while (!open.empty()) {
        const auto [parent, index] = open.back();
        open.pop_back();
        const auto found = joints_of_.find(parent);
        if (found == joints_of_.end()) continue;
        for (const Element* joint : found->second) {
          const std::string child = end_of(*joint, "child");
          open.emplace_back(child, add_link(child, index, joint));
          ++placed;
        }
      }
    }
    if (placed < link_order_.size()) refuse_cycles();
    if (link_order_.empty()) root_.fail("the robot has no links");
  }

  /// Two links collide if one of them is to collide with others of its robot. Files that say nothing mean that all do, or what they say of the whole model.
  void separate_own_links() {
    constexpr std::size_t kMost = 2000;  // links; their pairs are listed
    const bool usual = extensions_.link("").collides_with_own.value_or(true);
    std::vector<int> apart;
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (!extensions_.link(robot_.links[i].name).collides_with_own.value_or(usual))
        apart.push_back(static_cast<int>(i));
    if (apart.size() > kMost) {
      ledger_.warn("more than " + std::to_string(kMost) + " links have selfCollide off; they collide nevertheless");
      return;
    }
    for (std::size_t i = 0; i < apart.size(); ++i)
      for (std::size_t k = i + 1; k < apart.size(); ++k) robot_.exclusions.emplace_back(apart[i], apart[k]);
  }

  /// Enters a joint at its two links.
  void hang(const Element& joint) {
    const std::string parent = end_of(joint, "parent"), child = end_of(joint, "child");
    const auto check = [&](const std::string& link, const char* end) {
      if (!links_.contains(link))
        joint.fail_missing(link, "there is no link named '" + short_text(link) + "', the " + end + " of the joint '" +
                                     short_text(name_of(joint)) + "'" + did_you_mean(link, link_order_));
    };
    if (parent != "world") check(parent, "parent");
    check(child, "child");
    if (!parent_of_.emplace(child, &joint).second)
      joint.fail("the link '" + short_text(child) + "' hangs on two joints; URDF describes trees only");
    joints_of_[parent].push_back(&joint);
  }

  /// Every link that has no place in the tree hangs on a cycle: follows its parents until one comes again.
  void refuse_cycles() {
    std::set<std::string> seen;
    for (const Link& link : robot_.links) seen.insert(link.name);
    for (const std::string& name : link_order_) {
      std::set<std::string> path;
      std::string at = name;
      while (!seen.contains(at) && path.insert(at).second) at = end_of(*parent_of_.at(at), "parent");
      if (path.contains(at)) {
        const Element& joint = *parent_of_.at(at);
        joint.attempt([&] { joint.fail("the links form a cycle through '" + short_text(at) + "'"); });
      }
      seen.merge(path);
    }
  }

  Element root_;
  bool fix_base_;
  Ledger& ledger_;
  UrdfExtensions extensions_;
  Robot robot_;
  UrdfGeoms geoms_;
  std::map<std::string, Element> links_, joints_;
  std::vector<std::string> link_order_, joint_order_;
  std::map<std::string, std::vector<const Element*>> joints_of_;  // by parent link
  std::map<std::string, const Element*> parent_of_;               // by child link: its joint
  std::size_t held_ = 0;                                          // joints that a motor holds
  std::vector<std::string> unlimited_;                            // joints that should have a <limit>
};

}  // namespace

Robot read_urdf(const Element& root, const FileAccess& files, bool fix_base, Ledger& ledger) {
  return UrdfReader(root, files, fix_base, ledger).read();
}

}  // namespace rigor::models
