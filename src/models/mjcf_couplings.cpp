// Equality constraints, tendons, actuators and contact exclusions of MJCF.
#include <algorithm>
#include <cmath>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "models/mjcf.h"
#include "rigor/error.h"

namespace rigor::models {

using Kind = ModelNote::Kind;

namespace {

const std::vector<std::string> kActuators = {"general", "motor",    "position", "velocity", "intvelocity",
                                             "damper",  "cylinder", "muscle",   "adhesion", "dcmotor"};

}  // namespace

JointSpec* MjcfReader::find_joint(const std::string& name) {
  const auto found = joint_of_name_.find(name);
  if (found == joint_of_name_.end()) return nullptr;
  return &robot_.links[static_cast<std::size_t>(found->second.first)]
              .joints[static_cast<std::size_t>(found->second.second)];
}

int MjcfReader::find_link(const Element& e, const char* attribute) const {
  const std::string name = e.text(attribute);
  if (name.empty() || name == "world") return kWorld;
  const auto found = link_of_name_.find(name);
  if (found == link_of_name_.end())
    e.fail_missing(name, std::string(attribute) + ": there is no body named '" + short_text(name) + "'", link_of_name_);
  return found->second;
}

const MjcfReader::Site& MjcfReader::find_site(const Element& e, const std::string& name,
                                              const std::string& suffix) const {
  auto found = sites_.find(name + suffix);
  if (found == sites_.end()) found = sites_.find(name);
  if (found == sites_.end()) e.fail_missing(name, "there is no site named '" + short_text(name) + "'", sites_);
  return found->second;
}

double MjcfReader::not_negative(const Attributes& a, const char* attribute, double value) {
  if (value < 0)
    ledger_.note(a.source(attribute), attribute, Kind::ignored, "a negative value would add energy; it counts as zero");
  return std::max(0.0, value);
}

/// MuJoCo's rules, src/user/user_objects.cc: checklimited() and islimited(). MuJoCo 3 takes a range whose lower bound is not below the upper one for none
/// unless it is switched on; MuJoCo 2.2 refuses it, and so does this.
std::optional<std::array<double, 2>> MjcfReader::bounds(const Attributes& a, const char* range,
                                                        const char* limited) const {
  constexpr int kOff = 0, kAuto = 2;
  const int flag = a.three_way(limited, kAuto);
  const std::vector<double> given = a.has(range) ? a.numbers(range, 2, 2) : std::vector<double>{0, 0};
  const bool is_given = given[0] != 0 || given[1] != 0;
  if (flag == kOff || (flag == kAuto && !is_given)) return std::nullopt;
  const Element at = a.has(range) ? a.source(range) : a.source(limited);
  const std::string name = range;
  if (flag == kAuto && !compiler_.autolimits)
    at.fail(name + ": with autolimits=\"false\" it needs " + limited + "=\"true\" or \"false\"");
  if (!(given[0] < given[1]))
    at.fail(name + (is_given ? ": the lower bound is not below the upper one"
                             : std::string(": it is missing or zero, and ") + limited + " switches it on"));
  return std::array<double, 2>{given[0], given[1]};
}

// ---- contact --------------------------------------------------------------------------------------

void MjcfReader::read_contact(const Element& e) {
  if (e.name() == "exclude") robot_.exclusions.emplace_back(find_link(e, "body1"), find_link(e, "body2"));
  if (e.name() == "pair") read_pair(e);
}

/// Reads a pair, which collides whatever contype and conaffinity say.
void MjcfReader::read_pair(const Element& e) {
  const Attributes a = defaults_.of(e, {"pair"}, "");
  const Geom* geoms[2] = {};
  int links[2] = {};
  const char* keys[2] = {"geom1", "geom2"};
  for (int k = 0; k < 2; ++k) {
    const std::string name = a.text(keys[k]);
    if (left_out_geoms_.contains(name)) {
      ledger_.skip(e, Kind::ignored, "its geom '" + short_text(name) + "' is left out, so the pair is too");
      return;
    }
    if (const auto found = geom_of_name_.find(name); found != geom_of_name_.end()) {
      links[k] = found->second.first;
      geoms[k] = &robot_.links[static_cast<std::size_t>(links[k])].geoms[found->second.second];
    }
    if (!geoms[k]) e.fail_missing(name, std::string(keys[k]) + ": there is no geom named '" + short_text(name) + "'");
  }
  if (links[0] == links[1]) e.fail("both geoms belong to the same body");
  const Geom &p = *geoms[0], &q = *geoms[1];
  if (!p.collides || !q.collides) {
    ledger_.skip(e, Kind::ignored, "one of its geoms has no shape that collides");
    return;
  }
  if (!((p.contype & q.conaffinity) | (q.contype & p.conaffinity)))
    robot_.colliding_pairs.push_back({links[0], links[1], p.name, q.name, e});
  const int condim = a.has("condim") ? read_condim(a, 3) : std::max(p.condim, q.condim);
  double friction = std::max(p.material.friction, q.material.friction);
  if (a.has("friction")) {
    const std::vector<double> given = a.numbers("friction", 1, 5);
    friction = not_negative(a, "friction", given[0]);
    if (given.size() > 1 && given[1] != given[0])
      ledger_.note(a.source("friction"), "friction", Kind::replaced, "the first coefficient holds in all directions");
  }
  if (a.has("friction")) a.source("friction").check_range("friction", friction, kFrictionRange, "coefficients");
  if (condim > 3) ledger_.note(a.source("condim"), "condim", Kind::replaced, "a pair has sliding friction only");
  robot_.geom_pairs.push_back({p.name, q.name, condim == 1 ? 0 : friction});
}

// ---- equality -------------------------------------------------------------------------------------

/// q₁ = a₀ + a₁ q₂, both counted from the reference pose, in which a model of MuJoCo starts and violates this by a₀.
void MjcfReader::note_constant(const Attributes& a, double constant) {
  if (constant != 0)
    ledger_.note(a.source("polycoef"), "polycoef", Kind::replaced,
                 "the model starts where the constant term puts its joints, not in the reference pose");
}

void MjcfReader::hold(JointSpec& joint, double coordinate) {
  joint.limited = true;
  joint.lower = joint.upper = joint.start = coordinate;
}

void MjcfReader::read_equality(const Element& e) {
  const Attributes a = defaults_.of(e, {"equality", e.name()}, "");
  if (!a.flag("active", true)) {
    ledger_.note(e, "active", Kind::replaced, "a constraint that is switched off is left out");
    return;
  }
  if (e.name() == "joint") {
    const std::string joint = a.text("joint1"), leader = a.text("joint2");
    std::vector<double> poly = a.has("polycoef") ? a.numbers("polycoef", 1, 5) : std::vector<double>{0, 1};
    poly.resize(5);
    JointSpec* own = find_joint(joint);
    if (!own) e.fail_missing(joint, "joint1: there is no joint named '" + short_text(joint) + "'", joint_of_name_);
    if (leader.empty()) {
      note_constant(a, poly[0]);
      return hold(*own, poly[0]);
    }
    if (!find_joint(leader))
      e.fail_missing(leader, "joint2: there is no joint named '" + short_text(leader) + "'", joint_of_name_);
    if (poly[2] != 0 || poly[3] != 0 || poly[4] != 0)
      ledger_.note(a.source("polycoef"), "polycoef", Kind::replaced, "only the constant and the linear term are kept");
    else
      note_constant(a, poly[0]);
    robot_.mimics.push_back({joint, leader, poly[1], poly[0], e});
    return;
  }
  if (e.name() == "tendon") return read_tendon_equality(e, a);
  if (e.name() != "connect" && e.name() != "weld") {
    ledger_.skip(e, Kind::ignored, "constraints of this kind do not exist here");
    return;
  }
  Tie tie;
  tie.where = e;
  tie.name = e.text("name");
  tie.rigid = e.name() == "weld";
  const auto pose = [&](int i) { return i == kWorld ? Transform{} : poses_[static_cast<std::size_t>(i)]; };
  if (a.has("site1")) {
    const Site &first = find_site(e, a.text("site1"), ""), &second = find_site(e, a.text("site2"), "");
    tie.a = first.link, tie.frame_a = first.pose;
    tie.b = second.link, tie.frame_b = second.pose;
  } else {
    tie.a = find_link(e, "body1"), tie.b = find_link(e, "body2");
    if (tie.rigid && a.has("relpose") && [&] {
          const std::vector<double> r = a.numbers("relpose", 7, 7);
          return r[3] != 0 || r[4] != 0 || r[5] != 0 || r[6] != 0;
        }()) {
      const std::vector<double> r = a.numbers("relpose", 7, 7);
      tie.frame_a = {{r[0], r[1], r[2]}, unit(Quat{r[3], r[4], r[5], r[6]})};
    } else {
      tie.frame_a.translation = tie.rigid ? Vec3{} : a.vector("anchor", {});
      tie.frame_b = inverse(pose(tie.b)) * pose(tie.a) * tie.frame_a;
    }
  }
  robot_.ties.push_back(std::move(tie));
}

// ---- tendons --------------------------------------------------------------------------------------

void MjcfReader::read_tendon(const Element& e) {
  const Attributes a = defaults_.of(e, {"tendon"}, "");
  take_name(e, "tendon", e.text("name"));
  bounds(a, "actuatorfrcrange", "actuatorfrclimited");  // a mistake of the file is one although it bounds nothing here
  if (e.name() == "spatial") return read_spatial_tendon(e, a);
  if (e.name() == "fixed") read_fixed_tendon(e, a);
}

/// A coordinate, or the ratio of two coordinates: the length of a tendon divided by a coefficient. Error if it is too large.
double MjcfReader::quotient(const Element& e, double length, double coefficient) {
  const double value = length / coefficient;
  if (!(std::abs(value) <= kPositionRange.max))
    e.fail("a coefficient of its tendon is so small that a coordinate is beyond 1e12");
  return value;
}

/// With one joint it is a limit, a spring and friction of that joint; with more it can be held by an equality.
void MjcfReader::read_fixed_tendon(const Element& e, const Attributes& a) {
  FixedTendon tendon;
  for (const Element& child : children(e)) {
    if (child.name() != "joint") continue;
    const std::string joint = child.text("joint");
    if (!find_joint(joint))
      child.fail_missing(joint, "joint: there is no joint named '" + short_text(joint) + "'", joint_of_name_);
    const double coefficient = child.number("coef", 0);
    if (coefficient == 0)
      ledger_.note(child, "coef", Kind::ignored, "a coefficient of zero: the tendon does not move with this joint");
    tendon.emplace_back(joint, coefficient);
  }
  if (tendon.empty()) {
    ledger_.skip(e, Kind::ignored, "a tendon without joints has no length; it is left out");
    return;
  }
  fixed_tendons_[e.text("name")] = tendon;
  const double stiffness = not_negative(a, "stiffness", a.has("stiffness") ? a.numbers("stiffness", 1, 8)[0] : 0),
               damping = not_negative(a, "damping", a.has("damping") ? a.numbers("damping", 1, 8)[0] : 0),
               friction = not_negative(a, "frictionloss", a.number("frictionloss", 0));
  const auto range = bounds(a, "range", "limited");
  if (stiffness <= 0 && damping <= 0 && friction <= 0 && !range) return;
  if (tendon.size() != 1 || tendon[0].second == 0) {
    ledger_.skip(e, Kind::ignored,
                 "a fixed tendon of several joints with a limit, spring or friction has no counterpart; its joints "
                 "move without it");
    return;
  }
  JointSpec& joint = *find_joint(tendon[0].first);
  const double c = tendon[0].second;
  if (stiffness > 0) {
    if (joint.stiffness > 0) {
      ledger_.skip(e, Kind::ignored, "its joint has a spring of its own already");
      return;
    }
    const double length = a.has("springlength") ? a.numbers("springlength", 1, 2)[0] : -1;
    joint.stiffness = stiffness * c * c;
    joint.rest = length >= 0 ? quotient(e, length, c) - joint.ref : 0;
  }
  joint.damping += damping * c * c;
  joint.friction += friction * std::abs(c);
  if (!range) return;
  const double one = quotient(e, (*range)[0], c) - joint.ref, two = quotient(e, (*range)[1], c) - joint.ref;
  joint.lower = joint.limited ? std::max(joint.lower, std::min(one, two)) : std::min(one, two);
  joint.upper = joint.limited ? std::min(joint.upper, std::max(one, two)) : std::max(one, two);
  joint.limited = true;
  if (joint.lower > joint.upper) e.fail("range: it contradicts the limits of its joint");
}

/// A length that is held: c₁ q₁ + c₂ q₂ = a₀, or two tendons of a joint each. Coordinates and lengths count from the reference pose.
void MjcfReader::read_tendon_equality(const Element& e, const Attributes& a) {
  const auto first = fixed_tendons_.find(a.text("tendon1")), second = fixed_tendons_.find(a.text("tendon2"));
  std::vector<double> poly = a.has("polycoef") ? a.numbers("polycoef", 1, 5) : std::vector<double>{0, 1};
  poly.resize(5);
  const bool linear = poly[2] == 0 && poly[3] == 0 && poly[4] == 0;
  const bool is_held = first != fixed_tendons_.end() && linear && first->second[0].second != 0;
  if (is_held) {
    const FixedTendon& t = first->second;
    const double c = t[0].second;
    if (!a.has("tendon2") && t.size() == 2) {
      robot_.mimics.push_back({t[0].first, t[1].first, quotient(e, -t[1].second, c), quotient(e, poly[0], c), e});
      return note_constant(a, poly[0]);
    }
    if (!a.has("tendon2") && t.size() == 1) {
      hold(*find_joint(t[0].first), quotient(e, poly[0], c));
      return note_constant(a, poly[0]);
    }
    if (second != fixed_tendons_.end() && t.size() == 1 && second->second.size() == 1) {
      const auto& [leader, coefficient] = second->second[0];
      robot_.mimics.push_back({t[0].first, leader, quotient(e, poly[1] * coefficient, c), quotient(e, poly[0], c), e});
      return note_constant(a, poly[0]);
    }
  }
  ledger_.skip(e, Kind::ignored, "only fixed tendons of one or two joints together are held; it is left out");
}

void MjcfReader::read_spatial_tendon(const Element& e, const Attributes& a) {
  const std::vector<Element> stops = children(e);
  if (stops.size() < 2) {
    ledger_.skip(e, Kind::ignored, "a tendon needs two sites at least; it is left out");
    return;
  }
  for (const Element& stop : stops)
    if (const std::string site = stop.text("site");
        stop.name() == "site" && !sites_.contains(site) && !replicas_.contains(site))
      stop.fail_missing(site, "there is no site named '" + short_text(site) + "'", sites_);
  const bool plain = stops.size() == 2 && stops[0].name() == "site" && stops[1].name() == "site";
  const auto range = bounds(a, "range", "limited");
  const double stiffness = not_negative(a, "stiffness", a.has("stiffness") ? a.numbers("stiffness", 1, 8)[0] : 0),
               damping = not_negative(a, "damping", a.has("damping") ? a.numbers("damping", 1, 8)[0] : 0);
  if (!range && stiffness <= 0 && damping <= 0 && a.number("frictionloss", 0) <= 0)
    return;  // it only shows or measures
  if (!plain) {
    ledger_.skip(e, Kind::ignored,
                 "a tendon over more than two sites, or around a geom, has no counterpart; it is left out");
    return;
  }
  if (a.number("frictionloss", 0) > 0)
    ledger_.note(a.source("frictionloss"), "frictionloss", Kind::ignored, "a tendon has no friction here");
  std::vector<std::string> suffixes = {""};
  const std::string first = stops[0].text("site"), second = stops[1].text("site");
  if (!sites_.contains(first) && replicas_.contains(first)) suffixes = replicas_[first];
  for (const std::string& suffix : suffixes) {
    if (robot_.ropes.size() >= kMaxLinks)
      throw GiveUp(e.place(), "a model has at most " + std::to_string(kMaxLinks) + " tendons, replicas included");
    const Site &s1 = find_site(stops[0], first, suffix), &s2 = find_site(stops[1], second, suffix);
    Rope rope;
    rope.where = e;
    rope.name = e.text("name") + (e.text("name").empty() ? "" : suffix);
    rope.a = s1.link, rope.point_a = s1.pose.translation;
    rope.b = s2.link, rope.point_b = s2.pose.translation;
    if (range) {
      rope.kind.lower = std::max(0.0, (*range)[0]), rope.kind.upper = (*range)[1];
      if (!(rope.kind.upper > 0 && rope.kind.upper >= rope.kind.lower)) e.fail("range: expected a positive length");
      robot_.ropes.push_back(rope);
    }
    if (stiffness > 0 || damping > 0) {
      const auto at = [&](int i, const Vec3& p) {
        return i == kWorld ? p : transform_point(poses_[static_cast<std::size_t>(i)], p);
      };
      const std::vector<double> given =
          a.has("springlength") ? a.numbers("springlength", 1, 2) : std::vector<double>{-1};
      const double rest = given[0] >= 0 ? given[0] : length(at(rope.a, rope.point_a) - at(rope.b, rope.point_b));
      if (!(rest > 0)) e.fail("springlength: expected a positive length");
      rope.kind = {rest, given.size() > 1 ? std::max(given[1], rest) : rest, std::max(stiffness, 1e-9), damping};
      rope.name += rope.name.empty() ? "tendon_spring" : "_spring";
      robot_.ropes.push_back(rope);
    }
  }
}

// ---- actuators ------------------------------------------------------------------------------------

std::optional<MjcfReader::ServoGains> MjcfReader::servo_gains(const Element& e, const Attributes& a) {
  const std::string type = e.name();
  ServoGains gains;
  if (type == "position") {
    gains.p = not_negative(a, "kp", a.number("kp", 1)), gains.d = not_negative(a, "kv", a.number("kv", 0));
    gains.ratio = not_negative(a, "dampratio", a.number("dampratio", 0)), gains.ratio_source = a.source("dampratio");
    // What the element gives itself takes the place of what its class gives.
    if (a.own("kv") && !a.own("dampratio")) gains.ratio = 0;
    if (a.own("dampratio") && !a.own("kv")) gains.d = 0;
    if (gains.ratio > 0 && gains.d > 0) e.fail("give either kv or dampratio, not both");
    gains.control = gains.p;
    if (a.has("timeconst") && a.number("timeconst", 0) > 0)
      ledger_.note(a.source("timeconst"), "timeconst", Kind::ignored, "servos act at once, without a filter");
  } else if (type == "intvelocity") {
    gains.p = not_negative(a, "kp", a.number("kp", 1)), gains.d = not_negative(a, "kv", a.number("kv", 0));
    gains.ratio = not_negative(a, "dampratio", a.number("dampratio", 0)), gains.ratio_source = a.source("dampratio");
    // Its activation is the target, which is zero at the start.
  } else if (type == "velocity") {
    gains.d = not_negative(a, "kv", a.number("kv", 1));
  } else if (type == "damper") {
    gains.d = 0;  // its control is zero at the start
    ledger_.note(e, "", Kind::replaced, "a damper acts by its control, which is zero; it is left out");
  } else if (type == "cylinder") {
    std::vector<double> bias = a.has("bias") ? a.numbers("bias", 1, 3) : std::vector<double>{};
    bias.resize(3);
    gains.p = -bias[1], gains.d = -bias[2];
    if (gains.p > 0) gains.offset = bias[0] / gains.p;
    if (gains.p <= 0 && bias[0] != 0)
      ledger_.note(a.source("bias"), "bias", Kind::ignored, "a constant force without a spring is left out");
  } else if (type == "general") {
    const std::vector<double> gain = a.has("gainprm") ? a.numbers("gainprm", 1, 10) : std::vector<double>{1};
    std::vector<double> bias = a.has("biasprm") ? a.numbers("biasprm", 1, 10) : std::vector<double>{};
    bias.resize(3);
    const std::string bias_type = a.word("biastype", "none", {"none", "affine", "muscle", "user"});
    if (bias_type == "muscle" || bias_type == "user")
      ledger_.note(a.source("biastype"), "biastype", Kind::ignored, "only an affine bias acts here; it is left out");
    if (a.word("gaintype", "fixed", {"fixed", "affine", "muscle", "user"}) != "fixed")
      ledger_.note(a.source("gaintype"), "gaintype", Kind::replaced, "the gain is the constant one of gainprm");
    if (bias_type == "affine") {
      gains.p = -bias[1], gains.d = -bias[2];
      if (gains.p < 0 || (gains.d < 0 && gain[0] != gains.p))
        ledger_.note(a.source("biasprm"), "biasprm", Kind::ignored, "a bias that adds energy is left out");
      if (gains.d < 0 && gain[0] == gains.p)  // a damping ratio
        gains.ratio = -gains.d, gains.d = 0, gains.ratio_source = a.source("biasprm");
      if (gains.p > 0) gains.offset = bias[0] / gains.p;  // force = gain control + bias₀ − p q − d q̇
      if (gains.p <= 0 && bias[0] != 0)
        ledger_.note(a.source("biasprm"), "biasprm", Kind::ignored, "a constant force without a servo is left out");
    }
    gains.control = gain[0];
    if (gains.p > 0 && gain[0] != gains.p)
      ledger_.remark(e, Kind::replaced, "its control is scaled: the servo goes to control · gain / stiffness");
    if (a.text("dyntype", "none") != "none")
      ledger_.note(a.source("dyntype"), "dyntype", Kind::ignored,
                   "actuators act at once, without dynamics of their own");
  } else if (type != "motor") {
    ledger_.skip(e, Kind::ignored, "actuators of this kind do not exist here; it is left out");
    return std::nullopt;
  }
  return gains;
}

void MjcfReader::set_motor(const Element& e, const Attributes& a, JointSpec& joint, double coefficient) {
  const auto force = bounds(a, "forcerange", "forcelimited"), control = bounds(a, "ctrlrange", "ctrllimited");
  bounds(a, "actrange", "actlimited");  // a mistake of the file is one although actuators have no state here
  const double gear = (a.has("gear") ? a.numbers("gear", 1, 6)[0] : 1) * coefficient;
  if (gear == 0) {
    ledger_.skip(e, Kind::ignored, "its gear is zero: it moves nothing, whatever its control");
    return;
  }
  double most = std::numeric_limits<double>::infinity();
  if (force) {
    most = std::max(std::abs((*force)[0]), std::abs((*force)[1])) * std::abs(gear);
    if ((*force)[0] != -(*force)[1])
      ledger_.note(a.source("forcerange"), "forcerange", Kind::replaced, "the larger bound holds in both directions");
  }
  const std::optional<ServoGains> gains = servo_gains(e, a);
  if (!gains) return;
  const double p = std::max(0.0, gains->p) * gear * gear, d = std::max(0.0, gains->d) * gear * gear;
  if (p == 0 && d == 0 && control)
    most = std::min(most, std::max(std::abs((*control)[0]), std::abs((*control)[1])) * std::abs(gear));
  if (e.name() != "damper") joint.actuator_force = joint.actuator_force.value_or(0) + most;
  if (p > 0) {
    // Servos of one joint add up to one that goes to the mean of their targets, weighted by their stiffness. Control zero
    // is the coordinate zero, or that of the constant bias.
    const double before = joint.motor.proportional, target = gains->offset / gear - joint.ref;
    joint.motor.target = before > 0 ? (before * joint.motor.target + p * target) / (before + p) : target;
    joint.motor.kind = AxisMotor::Kind::servo;
    joint.motor.proportional += p;
    joint.motor.derivative += d;
    servo_gain_.back() = {joint.name, gains->control * gear};
    if (gains->ratio > 0) ratio_servos_.push_back({joint.name, gear, gains->p, gains->ratio, gains->ratio_source});
  } else if (d > 0) {
    joint.damping += d;  // a velocity servo whose target is zero
  }
}

/// A tendon of several joints passes a force F on to each of them as its coefficient times F.
void MjcfReader::share_motor(const Element& e, const Attributes& a, const FixedTendon& joints) {
  for (const auto& [name, coefficient] : joints) {
    JointSpec& joint = *find_joint(name);
    const bool has_coordinate = joint.type == JointSpec::Type::hinge || joint.type == JointSpec::Type::slide;
    if (coefficient != 0 && has_coordinate) set_motor(e, a, joint, coefficient);
  }
  ledger_.remark(e, Kind::replaced, "each joint of its tendon has a motor of its own, with its share of the force");
}

Attributes MjcfReader::attributes_of_actuator(const Element& e) {
  std::vector<std::string> kinds = {e.name()};
  for (const std::string& kind : kActuators)
    if (kind != e.name()) kinds.push_back(kind);
  return defaults_.of(e, kinds, "");
}

void MjcfReader::read_actuator(const Element& e) {
  servo_gain_.emplace_back("", 0);
  const Attributes a = attributes_of_actuator(e);
  take_name(e, "actuator", e.text("name"));
  control_ranges_ += a.has("ctrlrange");
  std::string name = a.has("joint") ? a.text("joint") : a.text("jointinparent");
  double coefficient = 1;
  if (const auto tendon = fixed_tendons_.find(a.text("tendon")); name.empty() && tendon != fixed_tendons_.end()) {
    const FixedTendon& joints = tendon->second;
    if (joints.size() == 1 && joints[0].second != 0) name = joints[0].first, coefficient = joints[0].second;
    if (joints.size() > 1 && (e.name() == "motor" || (e.name() == "general" && a.text("biastype", "none") == "none")))
      return share_motor(e, a, joints);
  }
  if (name.empty()) {
    const char* what = a.has("tendon")      ? "it pulls at a tendon"
                       : a.has("site")      ? "it pushes at a site"
                       : a.has("cranksite") ? "it acts through a slider-crank"
                                            : "it acts on a body";
    ledger_.skip(e, Kind::ignored, std::string(what) + ", which motors do not; its control is zero at the start");
    return;
  }
  JointSpec* joint = find_joint(name);
  if (!joint) e.fail_missing(name, "joint: there is no joint named '" + short_text(name) + "'", joint_of_name_);
  if (joint->type == JointSpec::Type::free || joint->type == JointSpec::Type::ball) {
    ledger_.skip(e, Kind::ignored,
                 "it drives a ball or a free joint, which motors do not; its control is zero at the start");
    return;
  }
  set_motor(e, a, *joint, coefficient);
}

void MjcfReader::bound_motors() {
  for (Link& link : robot_.links)
    for (JointSpec& joint : link.joints)
      if (joint.actuator_force) joint.motor.max_force = std::min(joint.motor.max_force, *joint.actuator_force);
}

}  // namespace rigor::models
