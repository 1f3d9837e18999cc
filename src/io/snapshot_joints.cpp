// Joints of snapshot files.
#include "constraints/joints/joint_type.h"
#include "io/json_text.h"
#include "io/snapshot_parts.h"
#include "rigor/extend/joint.h"

namespace rigor {

namespace {

static_assert(sizeof(JointAxis) == 104 && sizeof(AxesJoint) == 6 * sizeof(JointAxis) + 40 &&
                  sizeof(DistanceJoint) == 32 && sizeof(GearJoint) == 40 && std::variant_size_v<JointKind> == 5,
              "a joint has a new field or kind: write and read it here, and raise the version of the format");

/// Limits, forces and stiffnesses may be infinite; invalid joints are refused when the world is made.
double any_number(ByteReader& in) {
  const double v = in.get<double>();
  ByteReader::check(!std::isnan(v), "a number is missing");
  return v;
}

/// Beside the number of a joint's kind: user data follow at the end.
constexpr std::uint8_t kUserData = 128;
/// Likewise: the joint's own error reduction follows at the end.
constexpr std::uint8_t kErp = 64;

struct KindWriter {
  ByteWriter& out;

  void operator()(const AxesJoint& j) const {
    for (const JointAxis& a : j.axes) {
      out.put(a.motion), out.put(a.lower), out.put(a.upper);
      const AxisMotor& m = a.motor;
      out.put(m.kind), out.put(m.target), out.put(m.max_force);
      out.put(m.proportional), out.put(m.integral), out.put(m.derivative);
      out.put(a.spring.stiffness), out.put(a.spring.damping), out.put(a.spring.rest);
      out.put(a.friction);
    }
    out.put(j.stiffness), out.put(j.damping), out.put(j.max_swing), out.put(j.min_twist), out.put(j.max_twist);
  }
  void operator()(const DistanceJoint& j) const {
    out.put(j.lower), out.put(j.upper), out.put(j.stiffness), out.put(j.damping);
  }
  void operator()(const PathJoint& j) const { out.put_array(j.points), out.put(j.closed); }
  void operator()(const GearJoint& j) const {
    out.put(j.first), out.put(j.second);
    out.put(static_cast<std::int32_t>(j.first_axis)), out.put(static_cast<std::int32_t>(j.second_axis));
    out.put(j.ratio), out.put(j.offset);
  }
  void operator()(const ExtensionJoint& j) const { out.put(j.type), put_settings(out, settings_of(*j.joint)); }
};

struct KindReader {
  ByteReader& in;

  void operator()(AxesJoint& j) const {
    for (JointAxis& a : j.axes) {
      a.motion = in.choice(AxisMotion::free), a.lower = any_number(in), a.upper = any_number(in);
      AxisMotor& m = a.motor;
      m.kind = in.choice(AxisMotor::Kind::servo), m.target = any_number(in), m.max_force = any_number(in);
      m.proportional = any_number(in), m.integral = any_number(in), m.derivative = any_number(in);
      a.spring.stiffness = any_number(in), a.spring.damping = any_number(in), a.spring.rest = any_number(in);
      a.friction = any_number(in);
    }
    j.stiffness = any_number(in), j.damping = any_number(in), j.max_swing = any_number(in);
    j.min_twist = any_number(in), j.max_twist = any_number(in);
  }
  void operator()(DistanceJoint& j) const {
    j.lower = any_number(in), j.upper = any_number(in), j.stiffness = any_number(in), j.damping = any_number(in);
  }
  void operator()(PathJoint& j) const { in.array(j.points), j.closed = in.flag(); }
  void operator()(GearJoint& j) const {
    j.first = in.id<JointId>(), j.second = in.id<JointId>();
    j.first_axis = in.get<std::int32_t>(), j.second_axis = in.get<std::int32_t>();
    j.ratio = in.number(), j.offset = in.number();
  }
  void operator()(ExtensionJoint& j) const {
    const std::string type = in.text(), place = "joint of type '" + short_text(type) + "'";
    const Settings settings = get_settings(in);
    const std::unique_ptr<JointType> made = make_joint_type(type, place);
    configure(*made, settings, place);
    const ExtensionJoint* kind = std::get_if<ExtensionJoint>(&made->kind);
    ByteReader::check(kind, "a joint is not of the type that it names");
    j = *kind;
  }
};

JointKind empty_kind(std::uint8_t index) {
  switch (index) {
    case 0: return AxesJoint{};
    case 1: return DistanceJoint{};
    case 2: return PathJoint{};
    case 3: return GearJoint{};
    case 4: return ExtensionJoint{};
    default: throw Error("the snapshot is damaged", "a joint is of an unknown kind");
  }
}

Value get_value(ByteReader& in) {
  switch (in.get<std::uint8_t>()) {
    case 0: return in.flag();
    case 1: return in.get<std::int64_t>();
    case 2: return any_number(in);
    case 3: return in.text();
    case 4: return in.vector();
    default: throw Error("the snapshot is damaged", "a parameter is of an unknown kind");
  }
}

}  // namespace

void put_settings(ByteWriter& out, const Settings& settings) {
  out.put_count(settings.size());
  for (const auto& [key, value] : settings) {
    out.put(key), out.put(static_cast<std::uint8_t>(value.index()));
    std::visit([&out](const auto& v) { out.put(v); }, value);
  }
}

Settings get_settings(ByteReader& in) {
  Settings settings;
  for (std::size_t n = in.count(6); n > 0; --n) {
    const std::string key = in.text();
    settings[key] = get_value(in);
  }
  return settings;
}

void put_joint(ByteWriter& out, const JointDef& def) {
  out.put(def.name), out.put(def.type);
  out.put(def.a), out.put(def.b);
  out.put(def.frame_a), out.put(def.frame_b);
  const bool has_data = def.user_data != 0;
  out.put(static_cast<std::uint8_t>(def.kind.index() | (has_data ? kUserData : 0) | (def.erp ? kErp : 0)));
  std::visit(KindWriter{out}, def.kind);
  out.put(def.collide), out.put(def.active);
  out.put(def.break_force), out.put(def.break_torque);
  if (has_data) out.put(def.user_data);
  if (def.erp) out.put(*def.erp);
}

JointDef get_joint(ByteReader& in) {
  JointDef def;
  def.name = in.text(), def.type = in.text();
  def.a = in.id<BodyId>(), def.b = in.id<BodyId>();
  def.frame_a = in.transform(), def.frame_b = in.transform();
  const auto kind = in.get<std::uint8_t>();
  def.kind = empty_kind(kind & ~(kUserData | kErp));
  std::visit(KindReader{in}, def.kind);
  def.collide = in.flag(), def.active = in.flag();
  def.break_force = any_number(in), def.break_torque = any_number(in);
  if (kind & kUserData) def.user_data = in.get<std::uint64_t>();
  if (kind & kErp) def.erp = any_number(in);
  return def;
}

}  // namespace rigor
