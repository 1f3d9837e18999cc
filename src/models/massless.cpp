// Links without mass, and masses that no body can have.
//
// A body needs a mass. A link without one is a frame, or holds shapes only: its shapes and children move on to the link that it is
// welded to; if it moves by joints, has no shapes and carries a single link, its joints become the first ones of that link.
// In a model without any mass, such as those that are published for planning only, links get the masses of their shapes.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "models/robot.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

/// A joint of the parent's frame in the frame of a link placed there by `pose`.
JointSpec in_child(JointSpec joint, const Transform& pose) {
  joint.axis = rotate_inverse(pose.rotation, joint.axis);
  joint.anchor = inverse_transform_point(pose, joint.anchor);
  if (joint.type == JointSpec::Type::ball)
    joint.start_rotation = conjugate(pose.rotation) * joint.start_rotation * pose.rotation;
  if (joint.type == JointSpec::Type::free) {
    const Quat turn = joint.start_pose ? joint.start_pose->rotation : Quat{};
    joint.start_velocity += rotate(turn, cross(joint.start_spin, pose.translation));
  }
  if (joint.start_pose) joint.start_pose = *joint.start_pose * pose;
  joint.start_spin = rotate_inverse(pose.rotation, joint.start_spin);
  return joint;
}

class Absorber {
 public:
  Absorber(Robot& robot, Ledger& ledger)
      : robot_(robot),
        ledger_(ledger),
        gone_(robot.links.size()),
        is_given_(robot.links.size()),
        moved_to_(robot.links.size()) {}

  void run() {
    find_static();
    find_children();
    for (const Link& l : robot_.links) total_ += l.mass.mass;
    for (std::size_t i = robot_.links.size(); i-- > 0;)
      if (robot_.links[i].mass.mass <= 0 && !is_static_[i]) absorb(static_cast<int>(i));
    move_references();
    compact();
  }

 private:
  Link& link(int i) { return robot_.links[static_cast<std::size_t>(i)]; }

  void find_static() {
    is_static_.assign(robot_.links.size(), false);
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const Link& l = robot_.links[i];
      is_static_[i] = l.joints.empty() && (l.parent == kWorld || is_static_[static_cast<std::size_t>(l.parent)]);
    }
  }

  void find_children() {
    children_.assign(robot_.links.size(), {});
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (robot_.links[i].parent != kWorld)
        children_[static_cast<std::size_t>(robot_.links[i].parent)].push_back(static_cast<int>(i));
  }

  std::vector<int> children_of(int parent) const {
    std::vector<int> list;
    for (const int c : children_[static_cast<std::size_t>(parent)])
      if (!gone_[static_cast<std::size_t>(c)]) list.push_back(c);
    return list;
  }

  void adopt(int child, int parent, const Transform& pose) {
    link(child).parent = parent;
    link(child).pose = pose * link(child).pose;
    if (parent != kWorld) children_[static_cast<std::size_t>(parent)].push_back(child);
  }

  void absorb(int i) {
    if (link(i).joints.empty()) return into_parent(i);
    const std::vector<int> children = children_of(i);
    for (const int c : children)
      if (link(c).joints.empty() && link(c).mass.mass > 0) return into_child(i, c);
    if (children.size() == 1 && !has_free_joint(link(i)) && !has_free_joint(link(children[0])) &&
        link(children[0]).mass.mass > 0) {
      if (link(i).geoms.empty()) return into_child(i, children[0]);
      return make_light(i, children[0]);
    }
    // Small enough to be without effect, large enough to be a body: a gram, or a millionth of what the robot weighs.
    const double mass = total_ > 0 ? 1e-6 * total_ : 1e-3;
    link(i).mass = {mass, {}, Mat3::diagonal(Vec3{1, 1, 1} * (mass * 1e-2))};
    is_given_[static_cast<std::size_t>(i)] = true;
    ledger_.remark(link(i).where, ModelNote::Kind::replaced,
                   "the link moves and has no mass; it is given a millionth of the mass of the model");
  }

  /// Its shapes move neither with the link before it nor with the one after it.
  void make_light(int i, int child) {
    constexpr double kShare =
        1e-4;  // of the mass and inertia of the next link; chosen: far below what such a link is known to
    const MassProperties& next = link(child).mass;
    const Vec3 center = link(child).pose.translation;  // the origin of the next joint
    is_given_[static_cast<std::size_t>(i)] = true;
    const std::string what = "the link has shapes, moves between two joints and has no mass; it is given ";
    // Shares of shares would end at 1e-28 kg in an arm of seven joints.
    if (is_given_[static_cast<std::size_t>(child)]) {
      link(i).mass = {next.mass, center, Mat3::diagonal(Vec3{1, 1, 1} * (trace(next.inertia) / 3))};
      ledger_.remark(link(i).where, ModelNote::Kind::replaced,
                     what + "the mass of the next link, which has none of its own either");
      return;
    }
    link(i).mass = {kShare * next.mass, center, Mat3::diagonal(Vec3{1, 1, 1} * (kShare * trace(next.inertia) / 2))};
    ledger_.remark(link(i).where, ModelNote::Kind::replaced, what + "a ten thousandth of the mass of the next link");
  }

  void into_parent(int i) {
    Link from = link(i);
    Link& to = link(from.parent);
    for (Geom& g : from.geoms) {
      g.pose = from.pose * g.pose;
      to.geoms.push_back(std::move(g));
    }
    for (const int c : children_of(i)) adopt(c, from.parent, from.pose);
    replace(i, from.parent, from.pose);
  }

  /// A child takes the place of the link: its joints follow the link's own. Other children become the child's.
  void into_child(int i, int c) {
    Link& child = link(c);
    Link& from = link(i);
    const Transform pose = child.pose;
    std::vector<JointSpec> joints;
    for (const JointSpec& j : from.joints) joints.push_back(in_child(j, pose));
    joints.insert(joints.end(), child.joints.begin(), child.joints.end());
    for (Geom& g : from.geoms) {
      g.pose = inverse(pose) * g.pose;
      child.geoms.push_back(std::move(g));
    }
    child.joints = std::move(joints);
    const Transform in_parent = from.pose * pose;
    for (const int other : children_of(i))
      if (other != c) adopt(other, c, inverse(pose));
    child.pose = {};
    adopt(c, from.parent, in_parent);
    replace(i, c, inverse(pose));
  }

  /// What refers to link i refers to another one, in whose frame it is placed by `pose`; see move_references().
  void replace(int i, int other, const Transform& pose) {
    gone_[static_cast<std::size_t>(i)] = true;
    moved_to_[static_cast<std::size_t>(i)] = {other, pose};
  }

  /// Calls `place` with the pose of each step on the way from link i to the one that it has become part of.
  template <class Place> void follow(int& i, Place place) const {
    while (i != kWorld && gone_[static_cast<std::size_t>(i)]) {
      const auto& [other, pose] = moved_to_[static_cast<std::size_t>(i)];
      place(pose);
      i = other;
    }
  }

  /// One pass over all references at the end: a pass for each link would take hours for a hundred thousand replicas.
  void move_references() {
    const auto frame = [this](int& i, Transform& t) { follow(i, [&](const Transform& pose) { t = pose * t; }); };
    const auto point = [this](int& i, Vec3& p) {
      follow(i, [&](const Transform& pose) { p = transform_point(pose, p); });
    };
    const auto plain = [this](int& i) { follow(i, [](const Transform&) {}); };
    for (Tie& t : robot_.ties) frame(t.a, t.frame_a), frame(t.b, t.frame_b);
    for (Rope& r : robot_.ropes) point(r.a, r.point_a), point(r.b, r.point_b);
    for (CameraMount& c : robot_.cameras) {
      frame(c.link, c.pose);
      if (c.target) plain(*c.target);
    }
    for (LightMount& l : robot_.lights) frame(l.link, l.pose);
    for (SensorMount& s : robot_.sensors) frame(s.link, s.pose);
    for (auto& [a, b] : robot_.exclusions) plain(a), plain(b);
    for (LinkPair& p : robot_.colliding_pairs) plain(p.a), plain(p.b);
  }

  static bool has_free_joint(const Link& l) {
    return std::any_of(l.joints.begin(), l.joints.end(),
                       [](const JointSpec& j) { return j.type == JointSpec::Type::free; });
  }

  /// Parents before children again, and no gaps. A child that took a place may stand after those that it adopted.
  void compact() {
    std::vector<int> number(robot_.links.size(), kWorld), path;
    std::vector<Link> kept;
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      path.clear();
      for (int k = static_cast<int>(i);
           k != kWorld && !gone_[static_cast<std::size_t>(k)] && number[static_cast<std::size_t>(k)] == kWorld;
           k = link(k).parent)
        path.push_back(k);
      for (std::size_t n = path.size(); n-- > 0;) {
        number[static_cast<std::size_t>(path[n])] = static_cast<int>(kept.size());
        kept.push_back(link(path[n]));
      }
    }
    const auto renumber = [&](int& i) {
      if (i != kWorld) i = number[static_cast<std::size_t>(i)];
    };
    for (Link& l : kept) renumber(l.parent);
    for (Tie& t : robot_.ties) renumber(t.a), renumber(t.b);
    for (Rope& r : robot_.ropes) renumber(r.a), renumber(r.b);
    for (auto& [a, b] : robot_.exclusions) renumber(a), renumber(b);
    for (LinkPair& p : robot_.colliding_pairs) renumber(p.a), renumber(p.b);
    for (CameraMount& c : robot_.cameras) {
      renumber(c.link);
      if (c.target) renumber(*c.target);
    }
    for (LightMount& l : robot_.lights) renumber(l.link);
    for (SensorMount& s : robot_.sensors) renumber(s.link);
    robot_.links = std::move(kept);
  }

  Robot& robot_;
  Ledger& ledger_;
  double total_ = 0;  // kg
  std::vector<bool> gone_, is_static_;
  std::vector<bool> is_given_;  // links whose mass is not the file's
  std::vector<std::pair<int, Transform>>
      moved_to_;  // of links that are gone: the link that they became part of, and their frame in it
  std::vector<std::vector<int>> children_;
};

/// The largest bounding radius of the link's shapes, m; 0.1 if it has none.
double size_of(const Link& link) {
  double size = 0;
  for (const Geom& g : link.geoms)
    if (g.shape && std::isfinite(g.shape->bounding_radius())) size = std::max(size, g.shape->bounding_radius());
  return size > 0 ? size : 0.1;
}

/// Filled with water: the shapes that collide, or those that are drawn where none does. Open surfaces count as their convex hulls. No mass if they enclose
/// nothing, or more or less than a body can have.
MassProperties mass_of_shapes(const Link& link) {
  constexpr double kDensity = 1000;  // kg/m³, as MuJoCo has it where a file gives none
  const bool is_solid = std::any_of(link.geoms.begin(), link.geoms.end(), [](const Geom& g) { return g.collides; });
  MassProperties sum;
  for (const Geom& g : link.geoms) {
    ShapePtr shape = is_solid && g.collision ? g.collision : g.shape;
    if (g.collides != is_solid || !shape) continue;
    try {
      if (const Mesh* mesh = shape->as<Mesh>(); mesh && !shape->has_volume()) shape = convex_hull(mesh->vertices);
      if (!shape->has_volume()) continue;
      const MassProperties own = transformed(mass_properties(*shape, kDensity), g.pose);
      check_inertia(own.inertia, "inertia");
      if (own.mass >= kMassRange.min && own.mass <= kMassRange.max) sum = sum.mass > 0 ? sum + own : own;
    } catch (const Error&) {
      continue;  // It is flat, or crosses itself.
    }
  }
  return sum.mass <= kMassRange.max ? sum : MassProperties{};
}

std::string short_number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 4).ptr;
  return {text, end};
}

}  // namespace

void fill_links(Robot& robot, Ledger& ledger) {
  for (const Link& l : robot.links)
    if (l.mass.mass > 0) return;
  std::vector<bool> is_static;
  for (Link& l : robot.links) {
    is_static.push_back(l.joints.empty() && (l.parent == kWorld || is_static[static_cast<std::size_t>(l.parent)]));
    if (is_static.back()) continue;
    l.mass = mass_of_shapes(l);
    if (l.mass.mass > 0)
      ledger.remark(l.where, ModelNote::Kind::replaced,
                    "no link of the model has a mass; this one is as heavy as its shapes at 1000 kg/m³");
  }
}

void absorb_massless_links(Robot& robot, Ledger& ledger) { Absorber(robot, ledger).run(); }

void repair_mass(Link& link, Ledger& ledger) {
  try {
    check_inertia(link.mass.inertia, "inertia");
    return;
  } catch (const Error&) {
    Mat3 I = link.mass.inertia;
    I = 0.5 * (I + transpose(I));
    if (!is_finite(I)) throw;
    PrincipalAxes axes = principal_axes(I);
    // A ball of a fiftieth of the link's size is a point mass for all that matters.
    const double radius = 0.02 * size_of(link), least = 0.4 * link.mass.mass * radius * radius;
    Vec3& m = axes.moments;
    const Vec3 given = m;
    for (int k = 0; k < 3; ++k) m[k] = std::max(m[k], least);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      const double lacking = m[k] - (m[i] + m[j]);
      if (lacking > 0) m[i] += 0.5 * lacking * (1 + 1e-12), m[j] += 0.5 * lacking * (1 + 1e-12);
    }
    const Mat3 R = rotation_matrix(axes.axes);
    link.mass.inertia = R * Mat3::diagonal(m) * transpose(R);
    link.mass.inertia = 0.5 * (link.mass.inertia + transpose(link.mass.inertia));
    ledger.remark(link.where, ModelNote::Kind::replaced,
                  "no body has this inertia (principal moments of " + short_number(given.x) + ", " +
                      short_number(given.y) + " and " + short_number(given.z) +
                      " kg m²); moments that it can have are taken");
  }
}

}  // namespace rigor::models
