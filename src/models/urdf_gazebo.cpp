#include "models/urdf_gazebo.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "registry/suggest.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

using Kind = ModelNote::Kind;

/// Materials of Gazebo Classic that are plain colours (sRGB).
constexpr std::pair<std::string_view, Vec3> kColors[] = {{"Black", {0, 0, 0}},
                                                         {"Blue", {0, 0, 1}},
                                                         {"BlueGlow", {0, 0, 1}},
                                                         {"DarkGray", {0.175, 0.175, 0.175}},
                                                         {"DarkGrey", {0.175, 0.175, 0.175}},
                                                         {"FlatBlack", {0.1, 0.1, 0.1}},
                                                         {"Gold", {0.8, 0.64869, 0.120759}},
                                                         {"Gray", {0.7, 0.7, 0.7}},
                                                         {"Green", {0, 1, 0}},
                                                         {"GreenGlow", {0, 1, 0}},
                                                         {"Grey", {0.7, 0.7, 0.7}},
                                                         {"Indigo", {0.33, 0, 0.5}},
                                                         {"Orange", {1, 0.5088, 0.0468}},
                                                         {"Purple", {1, 0, 1}},
                                                         {"PurpleGlow", {1, 0, 1}},
                                                         {"Red", {1, 0, 0}},
                                                         {"RedBright", {0.87, 0.26, 0.07}},
                                                         {"RedGlow", {1, 0, 0}},
                                                         {"SkyBlue", {0.13, 0.44, 0.7}},
                                                         {"Turquoise", {0, 1, 1}},
                                                         {"TurquoiseGlow", {0, 1, 1}},
                                                         {"White", {1, 1, 1}},
                                                         {"WhiteGlow", {1, 1, 1}},
                                                         {"Yellow", {1, 1, 0}},
                                                         {"YellowGlow", {1, 1, 0}},
                                                         {"ZincYellow", {0.9725, 0.9529, 0.2078}}};

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// The value of an element: its text, or its attribute `value` as in older files.
std::string value_of(const Element& e) {
  return trimmed(e.has("value") ? e.text("value") : std::string(e.node().child_value()));
}

/// The first child of a name; further ones are left alone, as Gazebo does.
Element first_child(const Element& e, const char* name) { return {e.node().child(name), e.file()}; }

// Elements that a link has, and those that a joint has.
constexpr std::string_view kOfLinks[] = {"mu",      "mu1",         "mu2",          "fdir1",    "turnGravityOff",
                                         "gravity", "selfCollide", "self_collide", "material", "collision"};
constexpr std::string_view kOfJoints[] = {"springStiffness", "springReference", "implicitSpringDamper",
                                          "provideFeedback"};

// Interfaces of ros_control, and commands of ros2_control.
constexpr std::string_view kInterfaces[] = {
    "PositionJointInterface",  "VelocityJointInterface",    "EffortJointInterface",     "PosVelJointInterface",
    "PosVelAccJointInterface", "JointStateInterface",       "JointCommandInterface",    "ActuatorStateInterface",
    "EffortActuatorInterface", "PositionActuatorInterface", "VelocityActuatorInterface"};
constexpr std::string_view kCommands[] = {"position", "velocity", "effort", "acceleration"};

template <std::size_t N> bool is_among(const std::string& name, const std::string_view (&names)[N]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// "hardware_interface/PositionJointInterface" → "PositionJointInterface"
std::string last_word(const std::string& text) {
  const std::size_t slash = text.find_last_of("/:");
  return slash == std::string::npos ? text : text.substr(slash + 1);
}

}  // namespace

template <std::size_t N>
void UrdfExtensions::note_unknown(const Element& e, const char* attribute, const std::string& word,
                                  const std::string_view (&known)[N]) {
  ledger_.note(e, attribute, Kind::ignored,
               "it is left out: there is no interface '" + short_text(word) + "'" +
                   did_you_mean(word, std::vector<std::string>(std::begin(known), std::end(known))));
}

UrdfExtensions::UrdfExtensions(const Element& robot, Ledger& ledger) : ledger_(ledger) {
  for (const Element& e : robot.children("gazebo")) read_gazebo(e);
  for (const Element& e : robot.children("transmission")) read_transmission(e);
  for (const Element& e : robot.children("ros2_control")) read_control(e);
}

std::optional<double> UrdfExtensions::number(const Element& e) {
  try {
    return parse_numbers(value_of(e), 1, 1)[0];
  } catch (const Error& error) {
    ledger_.note(e, "", Kind::ignored, std::string("it is left out: ") + error.what());
    return std::nullopt;
  }
}

std::optional<bool> UrdfExtensions::flag(const Element& e) {
  std::string text = value_of(e);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  ledger_.note(e, "", Kind::ignored, "it is left out: expected true or false, got '" + short_text(text) + "'");
  return std::nullopt;
}

void UrdfExtensions::read_gazebo(const Element& e) {
  const std::string name = e.text("reference");
  if (name.empty()) {  // about the whole model
    for (const Element& child : e.children("static"))
      if (flag(child).value_or(false)) is_static_ = true;
    for (const char* key : {"selfCollide", "self_collide"})
      for (const Element& child : e.children(key)) links_[""].collides_with_own = flag(child);
    for (const Element& child : e.children("plugin")) read_mimic_plugin(child);
    for (const Element& child : e.children())
      if (child.name() != "selfCollide" && (is_among(child.name(), kOfLinks) || is_among(child.name(), kOfJoints)))
        ledger_.note(child, "", Kind::ignored, "it is left out: its <gazebo> refers to no link or joint");
    return;
  }
  references_.emplace_back(name, e);
  GazeboLink& link = links_[name];
  const Element mu1 = first_child(e, "mu1");
  read_friction(e, mu1 ? mu1 : first_child(e, "mu"), link);
  for (const Element& child : e.children()) {
    const std::string key = child.name();
    if (key == "collision") read_surface(first_child(child, "surface"), link);
    if (key == "turnGravityOff") link.has_weight = !flag(child).value_or(!link.has_weight);
    if (key == "gravity") link.has_weight = flag(child).value_or(link.has_weight);
    if (key == "selfCollide" || key == "self_collide") link.collides_with_own = flag(child);
    if (key == "material") read_color(child, link);
    if (key == "springStiffness") {
      joints_[name].stiffness = std::max(number(child).value_or(0), 0.0);
      if (number(child).value_or(0) < 0)
        ledger_.note(child, "", Kind::ignored, "it is left out: expected a stiffness that is not negative");
    }
    if (key == "springReference") joints_[name].rest = number(child).value_or(0);
  }
}

std::optional<double> UrdfExtensions::coefficient(const Element& e, double most) {
  const std::optional<double> value = number(e);
  if (!value || (*value >= 0 && *value <= most)) return value;
  ledger_.note(e, "", Kind::ignored,
               most > 1 ? "it is left out: expected a coefficient from 0 to 1e6"
                        : "it is left out: expected a coefficient from 0 to 1");
  return std::nullopt;
}

/// mu1 acts along fdir1 and mu2 across it. Gazebo chooses the direction if none is given.
void UrdfExtensions::read_friction(const Element& e, const Element& first, GazeboLink& link) {
  const std::optional<double> along = first ? coefficient(first, kFrictionRange.max) : std::nullopt;
  if (along) link.friction = along;
  const Element second = first_child(e, "mu2"), direction = first_child(e, "fdir1");
  const std::optional<double> across = second ? number(second) : along;
  if (along && across && *along != *across) {
    ledger_.note(second, "", Kind::replaced, "the friction is the same in all directions, that of " + first.name());
    if (direction) ledger_.note(direction, "", Kind::ignored, "the friction is the same in all directions");
  } else if (second && !first) {
    ledger_.note(second, "", Kind::ignored, "it is left out: there is no mu1 beside it");
  }
}

/// <collision><surface>, which Gazebo adds to the collisions of the link; mu1 of the link itself counts before that of a surface.
void UrdfExtensions::read_surface(const Element& e, GazeboLink& link) {
  const Element bounce = first_child(e, "bounce");
  const Element restitution = first_child(bounce, "restitution_coefficient"),
                threshold = first_child(bounce, "threshold");
  if (const std::optional<double> value = restitution ? coefficient(restitution, 1) : std::nullopt)
    link.restitution = value;
  if (threshold && link.restitution.value_or(0) == 0) ledger_.honour(threshold, "");  // nothing bounces
  const Element ode = first_child(first_child(e, "friction"), "ode");
  if (!ode) return;
  if (const Element first = first_child(ode, "mu"); !first || !link.friction)
    read_friction(ode, first, link);
  else
    ledger_.note(first, "", Kind::ignored, "the link has a mu1, which counts");
}

/// The plugins of several authors have these elements in common.
void UrdfExtensions::read_mimic_plugin(const Element& e) {
  if (e.text("filename").find("mimic_joint_plugin") == std::string::npos) return;
  const Element leader = first_child(e, "joint"), own = first_child(e, "mimicJoint");
  if (!leader || !own) return;
  const Element multiplier = first_child(e, "multiplier"), offset = first_child(e, "offset");
  const std::optional<double> ratio = multiplier ? number(multiplier) : 1.0, start = offset ? number(offset) : 0.0;
  if (!ratio || !start) {
    ledger_.skip(e, Kind::ignored, "expected numbers in <multiplier> and <offset>; the joint does not follow");
    return;
  }
  ledger_.honour(e, "");
  followers_.insert(value_of(own));
  mimics_.push_back({value_of(own), value_of(leader), *ratio, *start, e});
}

void UrdfExtensions::read_color(const Element& e, GazeboLink& link) {
  const std::string name = value_of(e);
  const auto found =
      std::find_if(std::begin(kColors), std::end(kColors), [&](const auto& c) { return c.first == last_word(name); });
  if (found != std::end(kColors) && name.starts_with("Gazebo/"))
    link.color = found->second, link.color_source = e;
  else
    ledger_.note(e, "", Kind::appearance,
                 "'" + short_text(name) + "' is no material with a plain colour; it is not drawn");
}

/// With one joint and one actuator, effort and velocity of the joint's <limit> are those behind the gear, so that its ratio changes nothing. Several of them
/// are a linkage, which is not modelled.
void UrdfExtensions::read_transmission(const Element& e) {
  const std::vector<Element> joints = e.children("joint"), actuators = e.children("actuator");
  const bool is_simple = joints.size() == 1 && actuators.size() <= 1;
  for (const std::vector<Element>* parts : {&joints, &actuators})
    for (const Element& part : *parts) {
      for (const Element& reduction : part.children("mechanicalReduction"))
        if (!is_simple && value_of(reduction) != "1")
          ledger_.note(reduction, "", Kind::ignored, "motors act on the joint without a gear");
      for (const Element& interface : part.children("hardwareInterface")) {
        const std::string kind = last_word(value_of(interface));
        if (!is_among(kind, kInterfaces))
          note_unknown(interface, "", kind, kInterfaces);
        else if (kind.starts_with("Position") || kind.starts_with("PosVel") || kind.starts_with("Velocity"))
          for (const Element& joint : joints) held_.insert(joint.text("name"));
      }
    }
  for (const Element& joint : joints) driven_.emplace_back(joint.text("name"), joint);
}

void UrdfExtensions::read_control(const Element& e) {
  for (const Element& joint : e.children("joint")) {
    driven_.emplace_back(joint.text("name"), joint);
    for (const Element& command : joint.children("command_interface")) {
      const std::string kind = command.text("name");
      if (kind == "position" || kind == "velocity")
        held_.insert(joint.text("name"));
      else if (!is_among(kind, kCommands))
        note_unknown(command, "name", kind, kCommands);
    }
  }
}

void UrdfExtensions::check_names(const std::map<std::string, Element>& links,
                                 const std::map<std::string, Element>& joints) {
  for (const auto& [name, where] : references_) {
    const bool is_link = links.contains(name), is_joint = joints.contains(name);
    has_friction_ = has_friction_ || (is_link && link(name).friction);
    if (!is_link && !is_joint)
      ledger_.skip(where, Kind::ignored, "there is no link or joint named '" + short_text(name) + "'");
    for (const Element& child : where.children()) {
      if (!is_link && is_joint && is_among(child.name(), kOfLinks))
        ledger_.note(child, "", Kind::ignored, "it is left out: '" + short_text(name) + "' is a joint, not a link");
      if (is_link && !is_joint && is_among(child.name(), kOfJoints))
        ledger_.note(child, "", Kind::ignored, "it is left out: '" + short_text(name) + "' is a link, not a joint");
    }
  }
  for (const auto& [name, where] : driven_)
    if (!joints.contains(name)) ledger_.note(where, "", Kind::ignored, "there is no such joint");
}

const GazeboLink& UrdfExtensions::link(const std::string& name) const {
  static const GazeboLink kNothing;
  const auto found = links_.find(name);
  return found == links_.end() ? kNothing : found->second;
}

const GazeboJoint& UrdfExtensions::joint(const std::string& name) const {
  static const GazeboJoint kNothing;
  const auto found = joints_.find(name);
  return found == joints_.end() ? kNothing : found->second;
}

}  // namespace rigor::models
