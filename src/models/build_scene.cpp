// Bodies, joints and rules of contact from a Robot.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "io/scene_parts.h"
#include "io/scene_ranges.h"
#include "models/built_links.h"
#include "models/contact_rules.h"
#include "models/couple_joints.h"
#include "models/robot.h"
#include "models/shapes.h"
#include "rigor/error.h"
#include "rigor/joint_types.h"

namespace rigor::models {

namespace {

class Builder {
 public:
  Builder(Robot& robot, Ledger& ledger)
      : robot_(robot), ledger_(ledger), world_(scene_.world), built_{robot, world_, {}, {}, {}}, rules_(robot) {}

  Scene build(JointPlaces* places) {
    scene_.name = first_characters(robot_.name, kMaxNameLength);
    world_.set_gravity(robot_.gravity);
    world_.remove_body(world_.ground());
    if (robot_.step) {
      scene_.time.step = *robot_.step;
      scene_.time.min_step = std::min(scene_.time.min_step, *robot_.step);
      scene_.time.max_step = std::max(scene_.time.max_step, *robot_.step);
    }
    built_.poses = world_poses(robot_);
    motions_ = start_motions(robot_);
    has_speed_ = std::any_of(robot_.links.begin(), robot_.links.end(), [](const Link& l) { return l.has_speed(); });
    find_static();
    for (const Mimic& mimic : robot_.mimics) coupled_.insert({mimic.joint, mimic.leader});
    name_materials(robot_, scene_.appearance, ledger_);
    rules_.note_pairs(ledger_);
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      robot_.links[i].where.attempt([&] { add_link(static_cast<int>(i)); });
    for (const Tie& tie : robot_.ties) tie.where.attempt([&] { add_tie(tie); });
    for (const Rope& rope : robot_.ropes) rope.where.attempt([&] { add_rope(rope); });
    add_mimics();
    if (!robot_.links.empty())
      if (const XmlMistakes* mistakes = robot_.links[0].where.file()->mistakes) mistakes->stop_after_mistakes();
    filter_pairs(built_);
    set_material_rules();
    if (places) *places = joint_of_;
    if (robot_.ground_under_it) add_ground();
    if (robot_.separate_overlaps) separate_overlaps(built_, scene_, ledger_);
    add_appearance(built_, scene_, ledger_);
    add_sensors(built_, joint_of_, scene_, ledger_);
    return std::move(scene_);
  }

 private:
  const Link& link(int i) const { return robot_.links[static_cast<std::size_t>(i)]; }
  Transform pose(int i) const { return built_.pose(i); }
  bool is_static(int i) const { return built_.is_static(i); }

  template <class F> auto at(const Element& where, F f) const {
    try {
      return f();
    } catch (const Consequence&) {
      throw;
    } catch (const Error& error) {
      where.fail(in_words_of_models(error.what()));
    }
  }

  /// Errors about the shape, the place or the surface of a geom name its own line.
  void check_geoms(const Link& l) {
    for (const Geom& g : l.geoms)
      at(g.where, [&] {
        for (const ShapePtr& shape : {g.shape, g.collision})
          if (shape) check_shape(shape, checked_);
        check_transform(g.pose);
        check_material(g.material);
      });
  }

  void find_static() {
    built_.fixed.assign(robot_.links.size(), false);
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      built_.fixed[i] = robot_.links[i].joints.empty() && is_static(robot_.links[i].parent);
    built_.bodies.assign(robot_.links.size(), BodyId{});
  }

  /// The name itself, or with the next free number. Numbers are cached: in many files a thousand boxes have the same name.
  template <class Taken> std::string free_name(const std::string& wanted, const char* usual, Taken taken) {
    const std::string name = wanted.empty() ? usual : first_characters(wanted, kMaxNameLength - 12);
    if (name != "world" && !taken(name)) return name;
    for (int& n = next_number_[name];;) {
      n = std::max(n, 1) + 1;
      if (std::string next = name + "_" + std::to_string(n); !taken(next)) return next;
    }
  }
  std::string free_body_name(const std::string& wanted) {
    return free_name(wanted, "body", [this](const std::string& n) { return static_cast<bool>(world_.find_body(n)); });
  }
  std::string free_joint_name(const std::string& wanted) {
    return free_name(wanted, "joint", [this](const std::string& n) { return static_cast<bool>(world_.find_joint(n)); });
  }

  // ---- bodies -------------------------------------------------------------------------------------

  /// Replicas share a shape and its place, so that a large shape is bounded and checked once.
  ShapePtr placed(const ShapePtr& shape, const Transform& t) {
    const Quat& q = t.rotation;
    const std::array<double, 7> place{t.translation.x, t.translation.y, t.translation.z, q.w, q.x, q.y, q.z};
    ShapePtr& made = placed_[{shape.get(), place}];
    if (!made) made = transformed(shape, t);
    return made;
  }

  ShapePtr compound(const std::vector<const Geom*>& geoms, bool collision, const Material& usual) {
    std::vector<Composite::Part> parts;
    for (const Geom* g : geoms) {
      Composite::Part part{collision && g->collision ? g->collision : g->shape, g->pose, std::nullopt};
      if (!(g->material == usual)) part.material = g->material;
      parts.push_back(std::move(part));
    }
    if (parts.size() == 1 && !parts[0].material && parts[0].transform == Transform{}) return parts[0].shape;
    if (parts.size() == 1 && !parts[0].material) return placed(parts[0].shape, parts[0].transform);
    return composite(std::move(parts));
  }

  void add_link(int i) {
    Link& l = robot_.links[static_cast<std::size_t>(i)];
    if (!is_static(i)) repair_mass(l, ledger_);
    std::vector<const Geom*> drawn, colliding;
    for (const Geom& g : l.geoms) {
      if (g.drawn) drawn.push_back(&g);
      if (g.collides) colliding.push_back(&g);
    }
    if (is_static(i) && drawn.empty() && colliding.empty()) return;
    check_geoms(l);
    BodyDef def;
    def.name = free_body_name(l.name);
    def.position = pose(i).translation;
    def.orientation = pose(i).rotation;
    def.fixed = is_static(i);
    const std::vector<const Geom*>& shown = drawn.empty() ? colliding : drawn;
    if (!colliding.empty())
      def.material = colliding[0]->material;
    else if (!shown.empty())
      def.material = shown[0]->material;
    at(l.where, [&] {
      if (shown.empty()) {
        Transform frame;
        const ShapePtr box = inertia_box(l.mass, frame);
        def.shape = transformed(box, frame);
      } else {
        def.shape = compound(shown, false, def.material);
      }
      if (colliding.empty())
        def.can_collide = false;
      else if (needs_collision_shape(shown, colliding))
        def.collision_shape = compound(colliding, true, def.material);
      if (!def.fixed) {
        def.mass = l.mass.mass;
        def.inertia = l.mass.inertia;
        def.center_of_mass = l.mass.center_of_mass;
        def.gravity_factor = l.gravity_factor;
        if (has_speed_) set_velocity(def, motions_[static_cast<std::size_t>(i)], l.mass.center_of_mass);
      }
      rules_.set_groups(i, def, ledger_);
      built_.bodies[static_cast<std::size_t>(i)] = world_.add_body(def);
      check_body(world_, built_.bodies[static_cast<std::size_t>(i)], checked_);
    });
    for (const Geom* g : colliding) used_materials_.insert(g->material.name);
    if (!is_static(i)) add_joints(i);
  }

  /// A body's velocity is that of its center of mass.
  static void set_velocity(BodyDef& def, const FrameMotion& motion, const Vec3& center) {
    def.velocity = motion.velocity + cross(motion.spin, rotate(motion.pose.rotation, center));
    def.angular_velocity = motion.spin;
  }

  static bool needs_collision_shape(const std::vector<const Geom*>& shown, const std::vector<const Geom*>& colliding) {
    return shown != colliding ||
           std::any_of(colliding.begin(), colliding.end(), [](const Geom* g) { return g->collision != nullptr; });
  }

  // ---- joints -------------------------------------------------------------------------------------

  /// Error at `where` if the joint cannot be added or a scene file could not hold it.
  JointId add_joint(const Element& where, const JointDef& def) {
    return at(where, [&] {
      const JointId id = world_.add_joint(def);
      check_joint(world_, id);
      return id;
    });
  }

  /// Gears couple joints that share a body, so that joints with gears are on the first one of bodies that are welded together.
  BodyId carrier_of(const Link& l, Transform& frame) const {
    int parent = l.parent;
    Transform in_parent;
    const auto is_coupled = [&](const JointSpec& joint) { return coupled_.contains(joint.name); };
    if (std::any_of(l.joints.begin(), l.joints.end(), is_coupled))
      for (; !is_static(parent) && link(parent).joints.empty(); parent = link(parent).parent)
        in_parent = link(parent).pose * in_parent;
    const BodyId body = built_.carrier(parent, frame);
    if (parent != l.parent) frame = frame * in_parent;
    return body;
  }

  void add_joints(int i) {
    const Link& l = link(i);
    Transform in_carrier;
    BodyId a = carrier_of(l, in_carrier);
    const BodyId child = built_.bodies[static_cast<std::size_t>(i)];
    const bool collide = robot_.static_parents_collide && is_static(l.parent);
    Transform at_zero = in_carrier * l.pose;  // of the link in a, with all coordinates of later groups zero
    if (l.joints.empty()) {
      JointDef def;
      def.type = "fixed", def.name = free_joint_name(l.name + "_weld");
      def.a = a, def.b = child, def.frame_a = at_zero, def.kind = AxesJoint{}, def.collide = collide;
      add_joint(l.where, def);
      return;
    }
    const std::vector<JointGroup> groups = group_joints(l.joints);
    const FrameMotion parent = l.parent == kWorld ? FrameMotion{} : motions_[static_cast<std::size_t>(l.parent)];
    FrameMotion moved = carried(parent, l.pose);  // the link's frame, moved by the groups so far
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const JointGroup& group = groups[g];
      if (group.specs[0]->type == JointSpec::Type::free) {
        joint_of_[group.specs[0]->name] = {};
        continue;
      }
      for (const JointSpec* s : group.specs) moved = moved_by(moved, *s);
      const bool last = g + 1 == groups.size();
      JointDef def;
      def.a = a;
      def.b = last ? child : add_between(i, group, moved);
      def.frame_a = at_zero * group.frame;
      def.frame_b = group.frame;
      def.kind = axes_of(group, ledger_);
      def.type = type_of(group);
      def.name = free_joint_name(joined_names(group));
      def.collide = collide && last;
      const JointId id = add_joint(group.specs[0]->where, def);
      for (std::size_t k = 0; k < group.specs.size(); ++k)
        if (!group.specs[k]->name.empty()) joint_of_[group.specs[k]->name] = {id, group.axis[k], group.sign[k]};
      note_joined(group, def.name);
      a = def.b;
      at_zero = {};
    }
  }

  /// A user who drives the scene of a model has to know where its joints are.
  void note_joined(const JointGroup& group, const std::string& name) {
    constexpr std::size_t kMost = 20;
    if (group.specs.size() < 2 || joined_++ >= kMost) return;
    std::string axes;
    for (std::size_t k = 0; k < group.specs.size(); ++k) {
      if (group.specs[k]->name.empty()) continue;
      axes += (axes.empty() ? "'" : ", '") + short_text(group.specs[k]->name) + "' is " +
              (group.sign[k] < 0 ? "−" : "") + kAxisNames[group.axis[k]];
    }
    if (!axes.empty()) ledger_.lose("names of joints that are axes of the joint '" + short_text(name) + "': " + axes);
  }

  static std::string joined_names(const JointGroup& group) {
    std::string name;
    for (const JointSpec* s : group.specs) {
      if (!name.empty() && name.size() + s->name.size() > kMaxNameLength / 2) break;
      name += (name.empty() || s->name.empty() ? "" : "+") + s->name;
    }
    return name;
  }

  /// A light body between two groups of joints of a link.
  BodyId add_between(int i, const JointGroup& group, const FrameMotion& motion) {
    const Link& l = link(i);
    constexpr double kShare = 1e-4;  // of the link's mass and inertia; chosen: far below what such a link is known to
    ledger_.remark(
        l.where, ModelNote::Kind::replaced,
        "its joints do not fit one joint of six axes; a body of a ten thousandth of its mass is put between them");
    BodyDef def;
    def.name = free_body_name(l.name + "_between");
    const double mass = kShare * l.mass.mass;
    def.shape = sphere(1e-3);
    def.can_collide = false;
    def.mass = mass;
    def.inertia = Mat3::diagonal(Vec3{1, 1, 1} * (kShare * trace(l.mass.inertia) / 2));
    def.center_of_mass = group.frame.translation;
    def.position = motion.pose.translation;
    def.orientation = motion.pose.rotation;
    if (has_speed_) set_velocity(def, motion, group.frame.translation);
    return at(l.where, [&] {
      const BodyId id = world_.add_body(def);
      check_body(world_, id, checked_);
      return id;
    });
  }

  void add_tie(const Tie& tie) {
    JointDef def;
    Transform in_a, in_b;
    def.a = built_.carrier(tie.a, in_a), def.b = built_.carrier(tie.b, in_b);
    if (def.a == def.b || (is_static(tie.a) && is_static(tie.b))) {
      ledger_.note(tie.where, "", ModelNote::Kind::ignored, "both ends are the same body, or do not move");
      return;
    }
    def.frame_a = in_a * tie.frame_a, def.frame_b = in_b * tie.frame_b;
    AxesJoint axes;
    for (std::size_t k = 3; k < 6 && !tie.rigid; ++k) axes.axes[k].motion = AxisMotion::free;
    def.kind = axes;
    def.type = tie.rigid ? "fixed" : "ball";
    def.name = free_joint_name(tie.name.empty() ? (tie.rigid ? "weld" : "connect") : tie.name);
    def.collide = true;
    add_joint(tie.where, def);
  }

  void add_rope(const Rope& rope) {
    JointDef def;
    Transform in_a, in_b;
    def.a = built_.carrier(rope.a, in_a), def.b = built_.carrier(rope.b, in_b);
    if (def.a == def.b) {
      ledger_.note(rope.where, "", ModelNote::Kind::ignored, "both ends are the same body");
      return;
    }
    def.frame_a.translation = transform_point(in_a, rope.point_a);
    def.frame_b.translation = transform_point(in_b, rope.point_b);
    def.kind = rope.kind;
    def.type = rope.kind.lower == rope.kind.upper ? "distance" : "rope";
    def.name = free_joint_name(rope.name.empty() ? "tendon" : rope.name);
    def.collide = true;
    add_joint(rope.where, def);
  }

  void add_mimics() {
    const CouplingParts parts{
        .body_name = [this](const std::string& name) { return free_body_name(name); },
        .joint_name = [this](const std::string& name) { return free_joint_name(name); },
        .check_body = [this](const Element& where, BodyId id) { at(where, [&] { check_body(world_, id, checked_); }); },
        .check_joint = [this](const Element& where, JointId id) { at(where, [&] { check_joint(world_, id); }); }};
    couple_joints(robot_.mimics, joint_of_, world_, parts, ledger_);
  }

  // ---- contact ------------------------------------------------------------------------------------

  void set_material_rules() {
    MaterialRules rules = rules_.material_rules(used_materials_, ledger_);
    if (robot_.smaller_friction_counts) rules.friction = Combine::minimum;
    world_.set_material_rules(rules);
  }

  /// A plane under the lowest point of the robot.
  void add_ground() {
    double lowest = std::numeric_limits<double>::infinity();
    bool held = false;
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      const Link& l = robot_.links[i];
      if (l.parent == kWorld && (l.joints.empty() || l.joints[0].type != JointSpec::Type::free)) held = true;
      for (const Geom& g : l.geoms) {
        if (!g.collides) continue;
        lowest =
            std::min(lowest, world_bounds(g.collision ? *g.collision : *g.shape, built_.poses[i] * g.pose).lower.z);
      }
    }
    if (!held && !std::isfinite(lowest))
      ledger_.warn(
          "nothing holds the robot and it has no collision shapes, so it falls freely; --fix-base holds its root");
    if (held || !std::isfinite(lowest)) return;
    BodyDef def;
    def.name = free_body_name("ground");
    def.shape = plane();
    def.fixed = true;
    def.position = {0, 0, lowest};
    def.orientation = kAxes[2].ground;
    constexpr double kRough = 100;  // as Gazebo's plane: the friction of the robot decides
    if (robot_.smaller_friction_counts) {
      def.material.name = "ground";
      def.material.friction = kRough;
    }
    world_.add_body(def);
  }

  Robot& robot_;
  Ledger& ledger_;
  Scene scene_;
  World& world_;
  BuiltLinks built_;
  ContactRules rules_;
  std::vector<FrameMotion> motions_;  // by link, at the start
  bool has_speed_ = false;            // a link moves at the start
  std::size_t joined_ = 0;            // joints of the scene that stand for several of the file
  JointPlaces joint_of_;
  std::set<std::string> coupled_;  // joints of mimics
  std::map<std::string, int> next_number_;
  std::set<std::string> used_materials_;
  CheckedShapes checked_;
  std::map<std::pair<const Shape*, std::array<double, 7>>, ShapePtr> placed_;
};

}  // namespace

int Robot::add(Link link) {
  if (links.size() >= kMaxLinks)
    throw GiveUp(link.where.place(), "a model has at most " + std::to_string(kMaxLinks) + " bodies");
  links.push_back(std::move(link));
  return static_cast<int>(links.size()) - 1;
}

Scene build_scene(Robot robot, Ledger& ledger, JointPlaces* places) {
  absorb_massless_links(robot, ledger);
  return Builder(robot, ledger).build(places);
}

}  // namespace rigor::models
