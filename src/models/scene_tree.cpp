#include "models/scene_tree.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/material_color.h"

namespace rigor::models {

namespace {

/// Joints that a tree can be made of: six axes, rigid, whole.
bool can_carry(const World& world, JointId id) {
  const JointDef& def = world.joint(id);
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  return axes && def.active && !world.joint_state(id).broken && std::isinf(axes->stiffness) &&
         !joins_inactive_body(world, def);
}

class TreeFinder {
 public:
  explicit TreeFinder(const World& world) : world_(world) {}

  SceneTree run() {
    for (const JointId id : world_.joints()) {
      if (!can_carry(world_, id)) continue;
      const JointDef& def = world_.joint(id);
      joints_of_[def.a].push_back(id), joints_of_[def.b].push_back(id);
    }
    reach(world_.world_body(), -1);
    for (const BodyId id : world_.bodies())
      if (id != world_.world_body() && world_.is_fixed(id)) add_root(id);
    for (const BodyId id : world_.bodies())
      if (id != world_.world_body() && !has_carrier(id)) add_root(id);
    for (const BodyId id : world_.bodies())
      if (id != world_.world_body()) add_root(id);  // rings that nothing carries
    for (const JointId id : world_.joints())
      if (std::find(used_.begin(), used_.end(), id) == used_.end()) tree_.loops.push_back(id);
    return std::move(tree_);
  }

 private:
  bool has_carrier(BodyId id) const {
    const auto found = joints_of_.find(id);
    return found != joints_of_.end() &&
           std::any_of(found->second.begin(), found->second.end(), [&](JointId j) { return world_.joint(j).b == id; });
  }

  void add_root(BodyId id) {
    if (tree_.index.contains(id)) return;
    const int own = static_cast<int>(tree_.bodies.size());
    tree_.index[id] = own;
    tree_.bodies.push_back({id, -1, {}});
    reach(id, own);
  }

  /// Everything that hangs on a body, breadth first.
  void reach(BodyId from, int index) {
    std::vector<std::pair<BodyId, int>> open = {{from, index}};
    for (std::size_t n = 0; n < open.size(); ++n) {
      const auto [body, at] = open[n];
      const auto found = joints_of_.find(body);
      if (found == joints_of_.end()) continue;
      for (const JointId id : found->second) {
        const JointDef& def = world_.joint(id);
        const BodyId other = def.a == body ? def.b : def.a;
        if (other == world_.world_body() || world_.is_fixed(other) || tree_.index.contains(other)) continue;
        const int own = static_cast<int>(tree_.bodies.size());
        tree_.index[other] = own;
        tree_.bodies.push_back({other, at, id, def.b != other});
        if (at >= 0) tree_.bodies[static_cast<std::size_t>(at)].children.push_back(own);
        used_.push_back(id);
        open.emplace_back(other, own);
      }
    }
  }

  const World& world_;
  std::map<BodyId, std::vector<JointId>> joints_of_;
  std::vector<JointId> used_;
  SceneTree tree_;
};

void collect(const Shape& shape, const Transform& pose, const Material& material, std::vector<PlacedShape>& parts) {
  if (const Transformed* t = shape.as<Transformed>()) {
    collect(*t->shape, pose == Transform{} ? t->transform : pose * t->transform, material, parts);
  } else if (const Composite* c = shape.as<Composite>()) {
    for (const Composite::Part& part : c->parts)
      collect(*part.shape, pose == Transform{} ? part.transform : pose * part.transform,
              part.material ? *part.material : material, parts);
  } else {
    parts.push_back({&shape, pose, &material});
  }
}

}  // namespace

bool joins_inactive_body(const World& world, const JointDef& joint) {
  return !world.is_active(joint.a) || !world.is_active(joint.b);
}

SceneTree scene_tree(const World& world) { return TreeFinder(world).run(); }

std::vector<PlacedShape> simple_parts(const Shape& shape, const Material& material) {
  std::vector<PlacedShape> parts;
  collect(shape, {}, material, parts);
  return parts;
}

bool has_unlike_parts(const BodyDef& def) {
  if (!def.can_collide || def.sensor) return false;
  for (const PlacedShape& part : simple_parts(def.collision_shape ? *def.collision_shape : *def.shape, def.material)) {
    Material own = *part.material;
    own.name = def.material.name, own.density = def.material.density;
    if (own != def.material) return true;
  }
  return false;
}

std::string exact(double value) {
  char text[40];
  const auto result = std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}

std::string exact(const Vec3& v) { return exact(v.x) + " " + exact(v.y) + " " + exact(v.z); }

std::string exact(const Quat& q) { return exact(q.w) + " " + exact(q.x) + " " + exact(q.y) + " " + exact(q.z); }

std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n':
      case '\r':
      case '\t': out += ' '; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

Vec3 color_of(const Material& material) { return color_in_name(material).value_or(Vec3{0.72, 0.74, 0.77}); }

std::vector<int> free_axes(const AxesJoint& joint) {
  std::vector<int> list;
  for (int k = 0; k < 6; ++k)
    if (joint.axes[static_cast<std::size_t>(k)].motion != AxisMotion::locked) list.push_back(k);
  return list;
}

}  // namespace rigor::models
