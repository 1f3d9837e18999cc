// Bodies, frames, replicas, joints, geoms and sites of MJCF.
#include <algorithm>
#include <cmath>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "models/mjcf.h"
#include "rigor/error.h"

namespace rigor::models {

using Kind = ModelNote::Kind;

namespace {

constexpr int kMaxBodyDepth = 200;
constexpr Range kGravityCompensationRange{-1e8, 1e8};                      // within kGravityFactorRange
constexpr Range kHalfLengthRange{kLengthRange.min, kLengthRange.max / 2};  // m

Quat about_axis(char axis, double angle) {
  const Vec3 unit{axis == 'x' ? 1.0 : 0.0, axis == 'y' ? 1.0 : 0.0, axis == 'z' ? 1.0 : 0.0};
  return quaternion_from_axis_angle(unit, angle);
}

/// Small letters turn about the axes that the turns before have moved, capital ones about the fixed axes.
Quat from_euler(const std::string& sequence, const Vec3& angles) {
  Quat q;
  for (int k = 0; k < 3; ++k) {
    const char letter = sequence[static_cast<std::size_t>(k)];
    const bool fixed = letter >= 'X' && letter <= 'Z';
    const Quat turn = about_axis(fixed ? static_cast<char>(letter - 'X' + 'x') : letter, angles[k]);
    q = fixed ? turn * q : q * turn;
  }
  return q;
}

/// None for a shape without a volume, and for a surface that crosses itself so that its moments are not positive.
std::optional<MassProperties> solid_of(const ShapePtr& shape) {
  if (!shape || !shape->has_volume()) return std::nullopt;
  try {
    return mass_properties(*shape, 1);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

// ---- frames ---------------------------------------------------------------------------------------

/// The five ways to write an orientation are alternatives: an element's own one replaces that of its class, whichever they are.
Quat MjcfReader::read_orientation(const Attributes& all) const {
  const Attributes a = all.nearest({"quat", "axisangle", "euler", "xyaxes", "zaxis"});
  const auto direction = [&](const char* key, std::size_t at, std::size_t count) {
    const std::vector<double> v = a.numbers(key, count, count);
    const Vec3 d{v[at], v[at + 1], v[at + 2]};
    if (!(length(d) > 1e-12)) a.element().fail(std::string(key) + ": the direction must not be zero");
    return d;
  };
  if (a.has("quat")) {
    const std::vector<double> v = a.numbers("quat", 4, 4);
    const Quat q{v[0], v[1], v[2], v[3]};
    if (!(dot(q, q) > 1e-24)) a.element().fail("quat: four zeros are no orientation");
    return unit(q);
  }
  if (a.has("axisangle"))
    return quaternion_from_axis_angle(normalized(direction("axisangle", 0, 4)), angle(a.numbers("axisangle", 4, 4)[3]));
  if (a.has("euler")) {
    const Vec3 e = a.vector("euler", {});
    return from_euler(compiler_.eulerseq, {angle(e.x), angle(e.y), angle(e.z)});
  }
  if (a.has("xyaxes")) {
    const Vec3 x = normalized(direction("xyaxes", 0, 6));
    const Vec3 given = direction("xyaxes", 3, 6), y = given - dot(given, x) * x;
    if (!(length(y) > 1e-12)) a.element().fail("xyaxes: the two axes are parallel");
    const Vec3 unit = normalized(y);
    return quaternion_from_matrix(transpose(Mat3{{x, unit, cross(x, unit)}}));
  }
  if (a.has("zaxis")) return quaternion_between({0, 0, 1}, normalized(direction("zaxis", 0, 3)));
  return {};
}

Transform MjcfReader::read_pose(const Attributes& a) const { return {a.vector("pos", {}), read_orientation(a)}; }

void MjcfReader::remember(const std::string& name, const std::string& suffix) {
  if (!suffix.empty() && !name.empty()) replicas_[name].push_back(suffix);
}

void MjcfReader::read_frame(const Element& e, int link, const Context& context) {
  Context inner = context;
  inner.frame = context.frame * read_pose(Attributes(e));
  if (e.has("childclass")) inner.child_class = e.text("childclass");
  ++inner.depth;
  read_body_content(e, link, inner);
}

void MjcfReader::replicate(const Element& e, int link, const Context& context) {
  const int count = e.integer("count", 0);
  if (!(count >= 1 && count <= static_cast<int>(kMaxLinks)))
    e.fail("count: expected a number from 1 to " + std::to_string(kMaxLinks));
  const Vec3 offset = e.vector("offset", {}), turns = e.vector("euler", {});
  const auto turned = [&](double n) {
    return from_euler(compiler_.eulerseq, {angle(n * turns.x), angle(n * turns.y), angle(n * turns.z)});
  };
  const std::size_t digits = std::to_string(count - 1).size(), mistakes = mistake_count();
  Transform at;
  for (int i = 0; i < count && mistake_count() == mistakes; ++i) {
    at.rotation = turned(i);
    std::string number = std::to_string(i);
    number.insert(0, digits - number.size(), '0');
    Context inner = context;
    inner.frame = context.frame * at;
    inner.suffix = context.suffix + e.text("sep") + number;
    if (e.has("childclass")) inner.child_class = e.text("childclass");
    ++inner.depth;
    ++parts_;  // also of a copy that is empty
    read_body_content(e, link, inner);
    at.translation += rotate(at.rotation, offset);
  }
}

// ---- bodies ---------------------------------------------------------------------------------------

void MjcfReader::read_body_content(const Element& e, int link, const Context& context) {
  if (context.depth > kMaxBodyDepth)
    e.fail("more than " + std::to_string(kMaxBodyDepth) + " bodies are nested in each other");
  for (const Element& child : children(e)) {
    if (++parts_ > kMostParts)
      throw GiveUp(child.place(),
                   "bodies and their replicas have more than " + std::to_string(kMostParts) + " elements");
    child.attempt([&] { read_body_part(child, link, context); });
  }
}

void MjcfReader::read_body_part(const Element& e, int link, const Context& context) {
  const std::string name = e.name();
  if (name == "body")
    read_body(e, link, context);
  else if (name == "geom")
    read_geom(e, link, context);
  else if (name == "site")
    read_site(e, link, context);
  else if (name == "light")
    read_light(e, link, context);
  else if (name == "camera")
    read_camera(e, link, context);
  else if (name == "frame")
    read_frame(e, link, context);
  else if (name == "replicate")
    replicate(e, link, context);
  else if (name == "joint" || name == "freejoint")
    read_joint(e, link, context);
  else if (name == "inertial" && link != kWorld)
    read_inertial(e, link, context);
  else if (name == "composite" || name == "flexcomp" || name == "attach")
    is_complete_ = false;
}

void MjcfReader::read_body(const Element& e, int parent, const Context& context) {
  Link link;
  link.where = e;
  link.name = e.text("name") + (e.text("name").empty() ? "" : context.suffix);
  if (link.name.empty()) link.name = "body" + std::to_string(robot_.links.size() + 1);
  link.parent = parent;
  e.attempt([&] { link.pose = context.frame * read_pose(Attributes(e)); });
  const double compensation = e.number("gravcomp", 0);
  e.attempt([&] { e.check_range("gravcomp", compensation, kGravityCompensationRange, "a number"); });
  link.gravity_factor = 1 - compensation;
  const int index = robot_.add(link);
  given_mass_.resize(robot_.links.size());
  geom_mass_.resize(robot_.links.size());
  if (!e.text("name").empty() && !link_of_name_.emplace(link.name, index).second)
    e.attempt([&] { e.fail("there is already a body named '" + short_text(link.name) + "'"); });
  remember(e.text("name"), context.suffix);
  Context inner = context;
  inner.frame = {};
  if (e.has("childclass")) inner.child_class = e.text("childclass");
  if (!inner.child_class.empty() && !defaults_.knows(inner.child_class)) {
    e.attempt([&] { e.fail("there is no default class '" + short_text(inner.child_class) + "'"); });
    inner.child_class.clear();
  }
  ++inner.depth;
  read_body_content(e, index, inner);
}

void MjcfReader::read_inertial(const Element& e, int link, const Context& context) {
  const Attributes a(e);
  const double mass = a.number("mass", 0);
  if (mass < 0) e.fail("mass: must not be negative");
  if (mass > 0) e.check_range("mass", mass, kMassRange, "a mass in kg");
  Transform pose = context.frame * Transform{a.vector("pos", {}), read_orientation(a)};
  Mat3 I;
  if (a.has("fullinertia")) {
    const std::vector<double> f = a.numbers("fullinertia", 6, 6);
    I = {{{f[0], f[3], f[4]}, {f[3], f[1], f[5]}, {f[4], f[5], f[2]}}};
  } else {
    I = Mat3::diagonal(a.vector("diaginertia", {}));
  }
  const Mat3 R = rotation_matrix(pose.rotation);
  I = pose.rotation == Quat{} ? I : R * I * transpose(R);
  given_mass_[static_cast<std::size_t>(link)] = mass > 0 ? MassProperties{mass, pose.translation, I} : MassProperties{};
}

// ---- joints ---------------------------------------------------------------------------------------

void MjcfReader::read_joint(const Element& e, int link, const Context& context) {
  if (link == kWorld) e.fail("the world has no joints");
  if (joint_order_.size() >= kMaxLinks)
    throw GiveUp(e.place(), "a model has at most " + std::to_string(kMaxLinks) + " joints, replicas included");
  const bool is_free = e.name() == "freejoint";
  const Attributes a = is_free ? Attributes(e) : defaults_.of(e, {"joint"}, context.child_class);
  const std::string type = is_free ? "free" : a.text("type", "hinge");
  JointSpec j;
  j.where = e;
  j.name = e.text("name") + (e.text("name").empty() ? "" : context.suffix);
  Link& owner = robot_.links[static_cast<std::size_t>(link)];
  if (j.name.empty())
    j.name = owner.name + "_joint" + (owner.joints.empty() ? "" : std::to_string(owner.joints.size() + 1));
  if (type == "free") {
    j.type = JointSpec::Type::free;
    if (owner.parent != kWorld) e.fail("only bodies of the world itself move freely");
  } else if (type == "ball") {
    j.type = JointSpec::Type::ball;
  } else if (type == "slide") {
    j.type = JointSpec::Type::slide;
  } else if (type != "hinge") {
    e.fail("type: expected free, ball, slide or hinge, got '" + short_text(type) + "'");
  }
  const bool is_angle = j.type == JointSpec::Type::hinge || j.type == JointSpec::Type::ball;
  const auto coordinate = [&](double v) { return is_angle ? angle(v) : v; };
  j.anchor = transform_point(context.frame, a.vector("pos", {}));
  e.attempt([&] {
    const Vec3 axis = a.vector("axis", {0, 0, 1});
    if (!(length(axis) > 1e-12)) e.fail("axis: the direction must not be zero");
    j.axis = rotate(context.frame.rotation, normalized(axis));
  });
  const double ref = coordinate(a.number("ref", 0));
  j.ref = ref;
  if (j.type != JointSpec::Type::free) {
    if (const auto range = bounds(a, "range", "limited")) {
      j.limited = true;
      j.lower = coordinate((*range)[0]) - ref, j.upper = coordinate((*range)[1]) - ref;
      if (j.type == JointSpec::Type::ball) {
        if ((*range)[0] != 0) a.source("range").fail("range: the lower limit of a ball joint must be 0");
        ledger_.note(a.source("range"), "range", Kind::replaced,
                     "the limit holds for the swing of the axis, not for the twist about it");
      }
    }
    j.stiffness = not_negative(a, "stiffness", a.has("stiffness") ? a.numbers("stiffness", 1, 8)[0] : 0);
    j.damping = not_negative(a, "damping", a.has("damping") ? a.numbers("damping", 1, 8)[0] : 0);
    j.friction = not_negative(a, "frictionloss", a.number("frictionloss", 0));
    j.rest = coordinate(a.number("springref", 0)) - ref;
    j.armature = not_negative(a, "armature", a.number("armature", 0));
    j.armature_source = a.source("armature");
    const bool has_motor = j.type != JointSpec::Type::ball;
    if (const auto range = has_motor ? bounds(a, "actuatorfrcrange", "actuatorfrclimited") : std::nullopt) {
      j.motor.max_force = std::max(std::abs((*range)[0]), std::abs((*range)[1]));
      if ((*range)[0] != -(*range)[1])
        ledger_.note(a.source("actuatorfrcrange"), "actuatorfrcrange", Kind::replaced,
                     "the larger bound holds in both directions");
    }
  }
  const auto number = static_cast<int>(owner.joints.size());
  owner.joints.push_back(j);
  if (a.has("springdamper") && j.type != JointSpec::Type::free) {
    const std::vector<double> s = a.numbers("springdamper", 2, 2);
    if (s[0] > 0 && s[1] > 0)
      timed_springs_.push_back({link, number, s[0], s[1], a.source("springdamper")});
    else if (s[0] != 0 || s[1] != 0)
      ledger_.note(a.source("springdamper"), "springdamper", Kind::ignored,
                   "the time constant and the damping ratio must be positive");
  }
  joint_order_.emplace_back(link, number);
  remember(e.text("name"), context.suffix);
  if (!e.text("name").empty() && !joint_of_name_.emplace(j.name, std::make_pair(link, number)).second)
    e.fail("there is already a joint named '" + short_text(j.name) + "'");
}

void MjcfReader::read_site(const Element& e, int link, const Context& context) {
  const Attributes a = defaults_.of(e, {"site"}, context.child_class);
  Transform pose = read_pose(a);
  const std::optional<double> half = read_ends(a, pose);
  const std::string name = e.text("name");
  if (name.empty()) return;
  take_name(e, "site", name + context.suffix);
  sites_[name + context.suffix] = {link, context.frame * pose, site_zone(a, half)};
  remember(name, context.suffix);
}

// ---- geoms ----------------------------------------------------------------------------------------

std::optional<double> MjcfReader::read_ends(const Attributes& a, Transform& pose) const {
  if (!a.has("fromto")) return std::nullopt;
  const std::vector<double> v = a.numbers("fromto", 6, 6);
  const Vec3 from{v[0], v[1], v[2]}, to{v[3], v[4], v[5]};
  const double whole = length(from - to);
  if (!(whole > 1e-12)) a.element().fail("fromto: the two ends are the same");
  a.source("fromto").check_range("fromto", whole, kLengthRange, "a distance in m of the two ends");
  pose = {0.5 * (from + to), quaternion_between({0, 0, 1}, (from - to) / whole)};
  return whole / 2;
}

bool MjcfReader::make_mesh(const Attributes& a, Geom& geom, MassProperties& solid) {
  const Element& e = a.element();
  const std::string name = a.text("mesh");
  const auto found = meshes_.find(name);
  if (found == meshes_.end()) e.fail_missing(name, "mesh: there is no mesh named '" + short_text(name) + "'", meshes_);
  const Mesh& mesh = found->second;
  if (!mesh.trouble.empty() || !mesh.entry.drawn) return false;
  geom.shape = mesh.entry.drawn;
  if (geom.collides) {
    if (mesh.entry.hull) {
      geom.collision = mesh.entry.hull;
    } else {
      geom.collides = false;
      ledger_.remark(e, Kind::ignored, "its mesh is flat and does not collide: " + mesh.entry.reason);
    }
  }
  if (const std::optional<MassProperties> own = solid_of(mesh.entry.drawn)) {
    solid = *own;
  } else if (const std::optional<MassProperties> hull = solid_of(mesh.entry.hull)) {
    solid = *hull;
    geom.has_mass_of_hull = true;
  }
  return true;
}

void MjcfReader::leave_out_mesh(const Attributes& a, const Mesh& mesh, const Geom& geom, int link) {
  if (mesh.trouble.empty()) throw Consequence();  // its own mistake is reported
  if (geom.collides) mesh.where.fail("the mesh cannot be read: " + mesh.trouble);
  const int group = a.integer("group", 0);
  const bool has_mass = a.has("mass") ? a.number("mass", 0) != 0 : a.number("density", 1000) != 0;
  if (link != kWorld && has_mass && group >= compiler_.inertia_groups[0] && group <= compiler_.inertia_groups[1])
    unread_masses_.emplace_back(link, &mesh);
  ledger_.skip(a.element(), Kind::appearance,
               "its mesh '" + short_text(a.text("mesh")) + "' is left out, so the geom is not drawn");
}

bool MjcfReader::make_height_field(const Attributes& a, Geom& geom) {
  const Element& e = a.element();
  const std::string name = a.text("hfield");
  const auto found = height_fields_.find(name);
  if (found == height_fields_.end())
    e.fail_missing(name, "hfield: there is no height field named '" + short_text(name) + "'", height_fields_);
  if (!found->second) throw Consequence();  // its own mistake is reported
  geom.shape = found->second;
  geom.pose.rotation = geom.pose.rotation * y_to_z();
  return true;
}

bool MjcfReader::make_shape(const Attributes& a, const std::string& type, Geom& geom, MassProperties& solid) {
  const Element& e = a.element();
  const std::vector<double> size = a.has("size") ? a.numbers("size", 1, 3) : std::vector<double>{};
  const auto extent = [&](std::size_t k) {
    if (k >= size.size() || !(size[k] > 0))
      e.fail("size: expected " +
             (k == 0 ? std::string("a positive number") : std::to_string(k + 1) + " positive numbers") + " for a " +
             type);
    a.source("size").check_range("size", size[k], kHalfLengthRange, "lengths in m");
    return size[k];
  };
  const std::optional<double> half = read_ends(a, geom.pose);
  if (type == "plane") {
    geom.shape = plane();
    geom.pose.rotation = geom.pose.rotation * quaternion_between({0, 1, 0}, {0, 0, 1});
    if (is_identity(geom.pose.rotation)) geom.pose.rotation = {};
    return true;
  }
  if (type == "mesh") return make_mesh(a, geom, solid);
  if (type == "hfield") return make_height_field(a, geom);
  if (type == "sphere") {
    geom.shape = sphere(extent(0));
  } else if (type == "capsule") {
    place_along_z(capsule(extent(0), 2 * half.value_or(half ? 0 : extent(1))), geom.shape, geom.pose);
  } else if (type == "cylinder") {
    place_along_z(cylinder(extent(0), 2 * half.value_or(half ? 0 : extent(1))), geom.shape, geom.pose);
  } else if (type == "box") {
    geom.shape = half ? box(2 * extent(0), 2 * extent(size.size() > 1 ? 1 : 0), 2 * *half)
                      : box(2 * extent(0), 2 * extent(1), 2 * extent(2));
  } else if (type == "ellipsoid") {
    const Vec3 r =
        half ? Vec3{extent(0), extent(size.size() > 1 ? 1 : 0), *half} : Vec3{extent(0), extent(1), extent(2)};
    geom.shape = ellipsoid_hull(r);
    ledger_.note(a.source("type"), "type", Kind::replaced,
                 "an ellipsoid collides as a convex hull of 146 corners; its mass is exact");
    const double mass = 4.0 / 3 * kPi * r.x * r.y * r.z;
    solid = {mass,
             {},
             Mat3::diagonal({mass / 5 * (r.y * r.y + r.z * r.z), mass / 5 * (r.z * r.z + r.x * r.x),
                             mass / 5 * (r.x * r.x + r.y * r.y)})};
    return true;
  } else if (type == "sdf") {
    ledger_.skip(e, Kind::ignored, "geoms of the type 'sdf' do not exist here; it is left out");
    return false;
  } else {
    a.source("type").fail(
        "type: there is no geom type '" + short_text(type) + "'" +
        did_you_mean(type, {"plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"}));
  }
  solid = mass_properties(*geom.shape, 1);
  return true;
}

std::array<double, 4> MjcfReader::read_color(const Attributes& a, double usual) {
  std::array<double, 4> rgba{usual, usual, usual, 1};
  const std::vector<double> given = a.numbers("rgba", 0, 4);
  std::copy(given.begin(), given.end(), rgba.begin());
  return rgba;
}

int MjcfReader::read_condim(const Attributes& a, int usual) {
  const int condim = a.integer("condim", usual);
  if (condim == 1 || condim == 3 || condim == 4 || condim == 6) return condim;
  a.element().attempt([&] { a.element().fail("condim: expected 1, 3, 4 or 6"); });
  return usual;
}

Material MjcfReader::read_surface(const Attributes& a, int condim) {
  Material m;
  std::vector<double> friction = a.has("friction") ? a.numbers("friction", 1, 5) : std::vector<double>{};
  const double usual[3] = {1, 0.005, 0.0001};
  for (const double f : friction) {
    if (f < 0) a.source("friction").fail("friction: must not be negative");
    a.source("friction").check_range("friction", f, kFrictionRange, "coefficients");
  }
  for (std::size_t k = friction.size(); k < 3; ++k) friction.push_back(usual[k]);
  m.friction = friction[0];
  if (condim >= 4) m.spinning_friction = friction[1];
  if (condim >= 6) m.rolling_friction = friction[2];
  if (a.has("solref")) {
    // A spring and a damper of damping ratio ζ throw back with e = exp(−π ζ / √(1 − ζ²)).
    const std::vector<double> ref = a.numbers("solref", 1, 2);
    double zeta = ref.size() > 1 ? ref[1] : 1;
    if (ref.size() > 1 && ref[0] <= 0 && ref[1] <= 0) zeta = ref[0] < 0 ? -ref[1] / (2 * std::sqrt(-ref[0])) : 1;
    m.restitution = zeta >= 1 || zeta < 0 ? 0 : std::exp(-kPi * zeta / std::sqrt(1 - zeta * zeta));
    ledger_.note(a.source("solref"), "solref", Kind::replaced,
                 "its damping ratio is the restitution; contacts are as stiff as the method makes them");
  }
  return m;
}

std::uint32_t MjcfReader::read_bits(const Attributes& a, const char* attribute) {
  const double value = a.number(attribute, 1);
  if (value >= -2147483648.0 && value <= 4294967295.0 && value == std::floor(value))
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
  const Element at = a.source(attribute);
  at.attempt([&] { at.fail(std::string(attribute) + ": expected a whole number of 32 bits"); });
  return 1;
}

void MjcfReader::read_geom(const Element& e, int link, const Context& context) {
  const Attributes a = defaults_.of(e, {"geom"}, context.child_class);
  Geom geom;
  geom.where = e;
  geom.name = e.text("name") + (e.text("name").empty() ? "" : context.suffix);
  geom.contype = read_bits(a, "contype"), geom.conaffinity = read_bits(a, "conaffinity");
  geom.collides =
      geom.contype != 0 || geom.conaffinity != 0 || (!geom.name.empty() && paired_geoms_.contains(geom.name));
  take_name(e, "geom", geom.name);
  geom.condim = read_condim(a, 3);
  geom.priority = a.integer("priority", 0);
  const int group = a.integer("group", 0);
  geom.drawn = group < 3;
  geom.material = read_surface(a, geom.condim);
  geom.pose = read_pose(a);
  const double given_mass = a.number("mass", 0), density = a.number("density", 1000);
  std::string type = a.text("type", "sphere");
  if (a.has("mesh") && type != "mesh" && type != "sdf") {
    ledger_.note(a.source("mesh"), "mesh", Kind::replaced, "the mesh itself is taken, not a simple shape fitted to it");
    type = "mesh";
  }
  MassProperties solid;
  try {
    if (!make_shape(a, type, geom, solid)) {
      left_out_geoms_.insert(geom.name);
      if (type == "mesh") leave_out_mesh(a, meshes_.at(a.text("mesh")), geom, link);
      return;
    }
  } catch (const Consequence&) {
    throw;
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(e.file()->name)) throw;
    e.fail(error.what());
  }
  geom.pose = context.frame * geom.pose;
  paint(a, type, geom);
  if (link == kWorld) {  // a body of its own, so that it has its name
    Link holder;
    holder.where = e;
    holder.name = geom.name.empty() ? type : geom.name;
    const std::string name = geom.name;
    holder.geoms.push_back(std::move(geom));
    const int index = robot_.add(std::move(holder));
    if (!name.empty()) geom_of_name_.emplace(name, std::make_pair(index, std::size_t{0}));
    given_mass_.resize(robot_.links.size());
    geom_mass_.resize(robot_.links.size());
    return;
  }
  if (solid.mass > 0 && group >= compiler_.inertia_groups[0] && group <= compiler_.inertia_groups[1]) {
    const double mass = a.has("mass") ? given_mass : solid.mass * density;
    if (mass < 0) e.fail(std::string(a.has("mass") ? "mass" : "density") + ": must not be negative");
    if (mass > 0) {
      if (a.has("mass")) a.source("mass").check_range("mass", mass, kMassRange, "a mass in kg");
      if (geom.has_mass_of_hull) hull_masses_.emplace_back(link, e);
      MassProperties& sum = geom_mass_[static_cast<std::size_t>(link)];
      const MassProperties own = transformed(with_mass(solid, mass), geom.pose);
      sum = sum.mass > 0 ? sum + own : own;
    }
  }
  std::vector<Geom>& geoms = robot_.links[static_cast<std::size_t>(link)].geoms;
  if (!geom.name.empty()) geom_of_name_.emplace(geom.name, std::make_pair(link, geoms.size()));
  geoms.push_back(std::move(geom));
}

}  // namespace rigor::models
