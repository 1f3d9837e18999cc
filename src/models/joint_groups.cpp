// Several joints of one link as one joint of six axes.
//
// MJCF lets a link have several joints. In its frame their motions follow each other: T(q₁) T(q₂) R(q₃) … A joint of six axes moves
// T(t) Rx(α) Ry(β) Rz(γ), so slides with perpendicular axes come first and hinges with perpendicular axes through one point after
// them. What does not fit opens a new group, with a body between the two.
#include <cmath>

#include "models/robot.h"

namespace rigor::models {

namespace {

constexpr double kParallel = 1e-7;  // rad, between axes that a file means to be the same or perpendicular; chosen

bool perpendicular(const Vec3& a, const Vec3& b) { return std::abs(dot(a, b)) < kParallel; }

struct Frame {
  Vec3 e[3];
};

/// The axis of the frame that is ± the direction; −1: none.
int axis_along(const Frame& f, const Vec3& direction, double& sign) {
  for (int k = 0; k < 3; ++k)
    if (length(cross(f.e[k], direction)) < kParallel) {
      sign = dot(f.e[k], direction) > 0 ? 1 : -1;
      return k;
    }
  return -1;
}

std::optional<JointGroup> make_group(const std::vector<const JointSpec*>& specs) {
  std::vector<const JointSpec*> slides, hinges;
  const JointSpec* ball = nullptr;
  for (const JointSpec* s : specs) {
    if (s->type == JointSpec::Type::free)
      return specs.size() == 1 ? std::optional(JointGroup{{s}, {0}, {1}, {}}) : std::nullopt;
    if (ball) return std::nullopt;
    if (s->type == JointSpec::Type::slide && !hinges.empty()) return std::nullopt;
    if (s->type == JointSpec::Type::slide) slides.push_back(s);
    if (s->type == JointSpec::Type::hinge) hinges.push_back(s);
    if (s->type == JointSpec::Type::ball) ball = s;
  }
  if (ball && !hinges.empty()) return std::nullopt;
  if (slides.size() > 3 || hinges.size() > 3) return std::nullopt;
  for (const JointSpec* h : hinges)
    if (length(h->anchor - hinges[0]->anchor) > 1e-9) return std::nullopt;

  Frame f{};
  std::vector<Vec3> given;  // directions that the frame has to have, the first hinge first
  if (hinges.size() == 2) {
    if (!perpendicular(hinges[0]->axis, hinges[1]->axis)) return std::nullopt;
    f.e[0] = hinges[0]->axis;
    f.e[1] = normalized(cross(hinges[1]->axis, f.e[0]));
    f.e[2] = cross(f.e[0], f.e[1]);
  } else {
    for (const JointSpec* h : hinges) given.push_back(h->axis);
    for (const JointSpec* s : slides) given.push_back(s->axis);
    f.e[0] = given.empty() ? Vec3{1, 0, 0} : given[0];
    Vec3 second, unused;
    tangents(f.e[0], second, unused);
    if (given.empty()) second = {0, 1, 0};
    for (std::size_t i = given.size(); i-- > 1;)
      if (perpendicular(given[i], f.e[0])) second = given[i];
    if (hinges.size() == 3) second = hinges[1]->axis;
    if (!perpendicular(second, f.e[0])) return std::nullopt;
    f.e[1] = normalized(second - dot(second, f.e[0]) * f.e[0]);
    f.e[2] = cross(f.e[0], f.e[1]);
  }
  JointGroup group;
  bool used[6] = {};
  int last_angle = 2;
  for (const JointSpec* s : specs) {
    double sign = 1;
    int axis = 0;
    if (s->type == JointSpec::Type::ball) {
      axis = 3;
    } else {
      axis = axis_along(f, s->axis, sign);
      if (axis < 0) return std::nullopt;
      if (s->type == JointSpec::Type::hinge) {
        axis += 3;
        if (axis <= last_angle) return std::nullopt;
        last_angle = axis;
      }
      if (used[axis]) return std::nullopt;
      used[axis] = true;
    }
    group.specs.push_back(s), group.axis.push_back(axis), group.sign.push_back(sign);
  }
  group.frame.rotation = quaternion_from_matrix(transpose(Mat3{{f.e[0], f.e[1], f.e[2]}}));
  group.frame.translation = ball ? ball->anchor : !hinges.empty() ? hinges[0]->anchor : specs[0]->anchor;
  return group;
}

bool has_spring_or_motor(const JointSpec& s) {
  return s.stiffness > 0 || s.damping > 0 || s.motor.kind != AxisMotor::Kind::none;
}

void set_axis(JointAxis& axis, const JointSpec& s, double sign, bool is_angle, bool is_middle, Ledger& ledger) {
  axis.motion = AxisMotion::free;
  double lower = sign > 0 ? s.lower : -s.upper, upper = sign > 0 ? s.upper : -s.lower;
  if (s.limited && (std::isfinite(lower) || std::isfinite(upper))) {
    const bool spans_too_much = is_angle && std::isfinite(upper - lower) && upper - lower > 2 * kPi;
    const bool one_sided =
        is_angle && !std::isfinite(upper - lower) && std::abs(std::isfinite(upper) ? upper : lower) > kPi;
    if (spans_too_much || one_sided) {
      ledger.remark(s.where, ModelNote::Kind::replaced,
                    "limits of more than one turn are left out: the joint turns freely");
    } else {
      axis.motion = AxisMotion::limited;
      axis.lower = lower, axis.upper = upper;
    }
  }
  if (is_middle && !(s.limited && s.lower > -1.55 && s.upper < 1.55))
    ledger.remark(s.where, ModelNote::Kind::replaced,
                  "the second of three hinges is singular at 90°, where its neighbours' angles are not defined");
  axis.spring = {s.stiffness, s.damping, has_spring_or_motor(s) && s.stiffness > 0 ? sign * s.rest : 0};
  axis.friction = s.friction;
  axis.motor = s.motor;
  axis.motor.target *= sign;
}

}  // namespace

std::vector<JointGroup> group_joints(const std::vector<JointSpec>& joints) {
  std::vector<JointGroup> groups;
  std::vector<const JointSpec*> open;
  for (const JointSpec& joint : joints) {
    open.push_back(&joint);
    if (std::optional<JointGroup> group = make_group(open)) {
      if (open.size() > 1) groups.pop_back();
      groups.push_back(std::move(*group));
    } else {
      open = {&joint};
      groups.push_back(*make_group(open));
    }
  }
  return groups;
}

AxesJoint axes_of(const JointGroup& group, Ledger& ledger) {
  AxesJoint axes;
  int hinges = 0;
  for (const JointSpec* s : group.specs) hinges += s->type == JointSpec::Type::hinge;
  for (std::size_t i = 0; i < group.specs.size(); ++i) {
    const JointSpec& s = *group.specs[i];
    if (s.type == JointSpec::Type::ball) {
      for (int k = 3; k < 6; ++k) {
        axes.axes[static_cast<std::size_t>(k)].motion = AxisMotion::free;
        axes.axes[static_cast<std::size_t>(k)].friction = s.friction;
        axes.axes[static_cast<std::size_t>(k)].spring = {s.stiffness, s.damping, 0};
      }
      if (s.limited && s.upper > 0) axes.max_swing = s.upper;
      continue;
    }
    set_axis(axes.axes[static_cast<std::size_t>(group.axis[i])], s, group.sign[i], group.axis[i] >= 3,
             hinges == 3 && group.axis[i] == 4, ledger);
  }
  return axes;
}

std::string type_of(const JointGroup& group) {
  if (group.specs.size() == 1 && group.specs[0]->type == JointSpec::Type::hinge) return "hinge";
  if (group.specs.size() == 1 && group.specs[0]->type == JointSpec::Type::slide) return "slider";
  if (group.specs.size() == 1 && group.specs[0]->type == JointSpec::Type::ball) return "ball";
  return "six-dof";
}

}  // namespace rigor::models
