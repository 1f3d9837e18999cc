// Joints of scene files: the parameters are those of the registered type, the other keys give its placement and strength.
#include <algorithm>

#include "constraints/joints/place_joint.h"
#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/joint_types.h"

namespace rigor {

namespace {

constexpr std::string_view kCommonKeys[] = {"type",        "name",         "collide", "active",
                                            "break_force", "break_torque", "erp",     "broken"};
constexpr std::string_view kPairKeys[] = {"a",      "b",     "anchor",  "anchor_a", "anchor_b", "axis",   "axis_a",
                                          "axis_b", "axis2", "axis2_a", "axis2_b",  "frame_a",  "frame_b"};
constexpr std::string_view kPathKeys[] = {"points"};
constexpr std::string_view kGearKeys[] = {"first", "second"};

using Keys = std::vector<std::string>;

template <std::size_t N> void append(Keys& keys, const std::string_view (&more)[N]) {
  keys.insert(keys.end(), std::begin(more), std::end(more));
}

/// The keys of a joint of this type that are not parameters.
Keys structural_keys(const Entry& type) {
  Keys keys;
  append(keys, kCommonKeys);
  if (has_capability(type, "gear")) {
    append(keys, kGearKeys);
  } else {
    append(keys, kPairKeys);
    if (has_capability(type, "points")) append(keys, kPathKeys);
  }
  return keys;
}

Settings read_joint_parameters(const JsonReader& r, const Entry& type) {
  const Keys structural = structural_keys(type);
  Keys known = structural;
  for (const auto& [name, value] : settings_of(*type.make())) known.push_back(name);
  r.only(known);
  return read_parameters(r, [&](std::string_view key) {
    return std::find(structural.begin(), structural.end(), key) == structural.end();
  });
}

BodyId read_end(const JsonReader& joint, const char* key, const World& world) {
  return read_body_name(joint.at(key), world);
}

JointId read_joint_name(const JsonReader& joint, const char* key, const World& world) {
  const JsonReader r = joint.at(key);
  const std::string name = r.name();
  const JointId id = world.find_joint(name);
  if (!id) r.fail("there is no joint named '" + short_text(name) + "' before this one");
  return id;
}

void read_optional(const JsonReader& r, const std::string& key, std::optional<Vec3>& value, PartReader& parts) {
  if (const auto found = r.find(key)) parts.read([&] { value = found->vector(kAnchorRange); });
}

FrameSpec read_frame(const JsonReader& r, const std::string& suffix, PartReader& parts) {
  FrameSpec spec;
  read_optional(r, "anchor" + suffix, spec.anchor, parts);
  read_optional(r, "axis" + suffix, spec.axis, parts);
  read_optional(r, "axis2" + suffix, spec.axis2, parts);
  if (suffix.empty()) return spec;
  if (const auto frame = r.find("frame" + suffix))
    parts.read([&] {
      frame->only({"position", "orientation"});
      spec.frame = read_transform(*frame);
    });
  return spec;
}

std::vector<Vec3> read_points(const JsonReader& joint) {
  const JsonReader r = joint.at("points");
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < r.size(); ++i) points.push_back(r.item(i).vector(kAnchorRange));
  return points;
}

/// Either a placement in the world, or one in each body: both at once could contradict each other.
void refuse_two_places(const JsonReader& r) {
  for (const std::string key : {"anchor", "axis", "axis2"})
    for (const char* suffix : {"_a", "_b"})
      if (r.find(key) && r.find(key + suffix)) r.fail("give either '" + key + "' or '" + key + suffix + "', not both");
}

JointDef read_pair_joint(const JsonReader& r, const World& world, const Entry& type, const Settings& parameters) {
  JointDef def;
  PartReader parts(r);
  parts.read([&] { def.a = read_end(r, "a", world); });
  parts.read([&] { def.b = read_end(r, "b", world); });
  parts.read([&] {
    if (def.a && def.a == def.b) r.at("b").fail_expected("another body than 'a'");
  });
  parts.read([&] { refuse_two_places(r); });
  const std::unique_ptr<JointType> object = make_joint_type(type.name, r.path());
  PlacementSpec spec;
  spec.world = read_frame(r, "", parts);
  spec.a = read_frame(r, "_a", parts);
  spec.b = read_frame(r, "_b", parts);
  if (parts.all_right()) parts.read([&] { place_joint(world, type, spec, r.path(), def, *object); });
  parts.read([&] { apply_parameters(r, parameters, [&](const Settings& s) { configure(*object, s, r.path()); }); });
  parts.finish();
  def.kind = object->kind;
  if (PathJoint* path = std::get_if<PathJoint>(&def.kind)) path->points = read_points(r);
  return def;
}

JointDef read_gear(const JsonReader& r, const World& world, const Entry& type, const Settings& parameters) {
  JointKind kind = make_joint_type(type.name, r.path())->kind;
  JointId first, second;
  PartReader parts(r);
  parts.read([&] {
    apply_parameters(r, parameters, [&](const Settings& s) { kind = with_parameters(type.name, kind, s, r.path()); });
  });
  parts.read([&] { first = read_joint_name(r, "first", world); });
  parts.read([&] { second = read_joint_name(r, "second", world); });
  parts.finish();
  const GearJoint& gear = std::get<GearJoint>(kind);
  return gear_joint(world, first, second, gear.ratio, gear.first_axis, gear.second_axis);
}

}  // namespace

JointDef read_joint_def(const JsonReader& r, const World& world) {
  const JsonReader type_name = r.at("type");
  const Entry& type = entry(Kind::joint, short_text(type_name.name()), type_name.path());
  JointDef def;
  PartReader parts(r);
  parts.read([&] {
    Settings parameters;
    PartReader both(r);
    both.read([&] { parameters = read_joint_parameters(r, type); });
    both.read([&] {
      def = has_capability(type, "gear") ? read_gear(r, world, type, parameters)
                                         : read_pair_joint(r, world, type, parameters);
    });
    both.finish();
  });
  def.type = type.name;
  if (const auto name = r.find("name"))
    parts.read([&] {
      def.name = name->name();
      if (world.find_joint(def.name)) name->fail("there is already a joint named '" + short_text(def.name) + "'");
    });
  r.read("collide", def.collide);
  r.read("active", def.active);
  r.read("break_force", def.break_force, kStrengthRange);
  r.read("break_torque", def.break_torque, kStrengthRange);
  if (r.find("erp")) r.read("erp", def.erp.emplace(), kErpRange);
  parts.finish();
  return def;
}

void read_joint(const JsonReader& r, World& world) {
  const JointDef def = read_joint_def(r, world);
  bool broken = false;
  r.read("broken", broken);
  located(r, [&] {
    const JointId id = world.add_joint(def);
    if (broken) world.set_joint_broken(id, true);
  });
}

}  // namespace rigor
