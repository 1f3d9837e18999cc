#include "narrowphase/contact_proxies.h"

#include <algorithm>
#include <cmath>

#include "math/disjoint_sets.h"
#include "model/shape_index.h"
#include "narrowphase/quick_bounds.h"

namespace rigor {

namespace {

constexpr std::size_t kBodiesPerTask = 128, kFewBodies = 1000;  // fewer run on one thread
/// Links of loops, and free bodies that a fixed one moves into, may overlap by this part of the thinner body before their contact is found.
/// Chosen: a body that overlaps by less than half is pushed out on the side of entry.
constexpr double kMayOverlap = 0.25;
constexpr double kLargestTurn = 2;  // rad; a point of a body that turns further still moves by at most its diameter

/// Returns how far (m) a body may move in a time, and widens its box around the path of its center. Returns 0 and leaves the box if the body
/// moves by less than the envelope.
double widen(Aabb& box, const Vec3& v, const Vec3& w, double time, double envelope) {
  if (time == 0 || !(length_squared(box.upper - box.lower) < Aabb::kInfinity)) return 0;
  const double radius = 0.5 * length(box.upper - box.lower), turn = std::min(time * length(w), 2.0);
  const double reach = time * length(v) + radius * turn;
  if (!(reach > envelope)) return 0;
  const Vec3 way = time * v, around{radius * turn, radius * turn, radius * turn};
  box.lower += min(way, Vec3{}) - around;
  box.upper += max(way, Vec3{}) + around;
  return reach;
}

/// True if one of the bodies is fixed and moves and the other one is free. Nothing stops the fixed body: if half of the free body is behind its
/// surface when a step begins, it is pushed out on the far side.
bool is_driven(const BodyState& s, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t free = std::min(a, b), mover = std::max(a, b);
  return free < s.awake() && mover >= s.awake() && mover < s.end(BodySet::kinematic);
}

/// The material of a part of a composite, or that of the whole body if the part has none.
const Material& material_at(const PartIndex* parts, const Material& whole, std::uint32_t part) {
  const Material* own = parts ? parts->material_of(part) : nullptr;
  return own ? *own : whole;
}

/// Groups of bodies that joints connect, and whether their joints close loops. Fixed bodies connect nothing: two mechanisms on the same
/// fixed body do not depend on each other. A group of n bodies with j joints among them and k joints to fixed bodies has
/// j − n + 1 + max(0, k − 1) loops.
class JointedGroups {
 public:
  explicit JointedGroups(const World& world) : world_(world), groups_(world.id_capacity()) {
    for (const JointId id : world.joints()) {
      const JointDef& joint = world.joint(id);
      if (!world.is_fixed(joint.a) && !world.is_fixed(joint.b)) groups_.unite(joint.a.index, joint.b.index);
    }
    excess_.assign(world.id_capacity(), 1);
    held_.assign(world.id_capacity(), 0);
    for (const BodyId id : world.bodies())
      if (!world.is_fixed(id)) --excess_[groups_.root(id.index)];
    for (const JointId id : world.joints()) {
      const JointDef& joint = world.joint(id);
      const bool a = !world.is_fixed(joint.a), b = !world.is_fixed(joint.b);
      if (a && b) ++excess_[groups_.root(joint.a.index)];
      if (a != b) ++held_[groups_.root(a ? joint.a.index : joint.b.index)];
    }
  }
  /// True for fixed bodies, which are in no group: the other body of a pair decides.
  bool has_loops(BodyId id) {
    if (world_.is_fixed(id)) return true;
    const std::uint32_t group = groups_.root(id.index);
    return excess_[group] + std::max(0, held_[group] - 1) > 0;
  }

 private:
  const World& world_;
  DisjointSets groups_;             // by id index
  std::vector<int> excess_, held_;  // by root: j − n + 1, and k
};

/// True if a material's friction or surface velocity depends on the body's orientation.
bool has_direction(const Material& m) {
  return (m.grain != Vec3{} && m.friction_across != 1) || m.surface_velocity != Vec3{};
}

double combine(Combine rule, double a, double b) {
  switch (rule) {
    case Combine::minimum: return std::min(a, b);
    case Combine::maximum: return std::max(a, b);
    case Combine::mean: return 0.5 * (a + b);
    case Combine::product: return a * b;
  }
  return a;
}

double static_friction_of(const Material& m) { return m.static_friction < 0 ? m.friction : m.static_friction; }

const MaterialRules::Pair* find_pair(const MaterialRules& rules, const Material& a, const Material& b) {
  if (rules.pairs.empty()) return nullptr;
  const auto& [smaller, larger] = std::minmax(a.name, b.name);
  auto found = rules.pairs.find({smaller, larger});
  if (found == rules.pairs.end()) found = rules.pairs.find({larger, smaller});
  return found == rules.pairs.end() ? nullptr : &found->second;
}

/// Lays the grain of a material into the tangent plane; false when it has none there.
bool put_grain(const Material& m, const Quat& q, Contact& c) {
  if (m.grain == Vec3{} || m.friction_across == 1) return false;
  const Vec3 world = rotate(q, normalized(m.grain));
  const Vec3 projected = world - dot(world, c.normal) * c.normal;
  if (length_squared(projected) < 1e-6) return false;
  c.tangent = normalized(projected);
  c.friction_across = m.friction_across;
  return c.directed = true;
}

bool is_plain(const Material& m) { return m.rolling_friction == 0 && m.spinning_friction == 0 && !has_direction(m); }

/// Everything that plain materials do not have.
void combine_rare(const Material& a, const Material& b, const Quat& q_a, const Quat& q_b, Contact& c) {
  c.rolling_friction = std::max(a.rolling_friction, b.rolling_friction);
  c.spinning_friction = std::max(a.spinning_friction, b.spinning_friction);
  c.friction_across = 1, c.surface_velocity = {};
  if (!put_grain(a, q_a, c)) put_grain(b, q_b, c);
  if (a.surface_velocity != Vec3{} || b.surface_velocity != Vec3{})
    c.surface_velocity = rotate(q_b, b.surface_velocity) - rotate(q_a, a.surface_velocity);
}

/// Fills in how the two surfaces of a contact rub and bounce (7.4.1); its normal has to be there already. The orientations
/// are those of the bodies' own frames.
void combine_materials(const MaterialRules& rules, const Material& a, const Material& b, const Quat& q_a,
                       const Quat& q_b, Contact& c) {
  c.friction = combine(rules.friction, a.friction, b.friction);
  c.static_friction = combine(rules.friction, static_friction_of(a), static_friction_of(b));
  c.restitution = combine(rules.restitution, a.restitution, b.restitution);
  if (const MaterialRules::Pair* pair = find_pair(rules, a, b)) {
    if (pair->friction >= 0) c.friction = c.static_friction = pair->friction;
    if (pair->static_friction >= 0) c.static_friction = pair->static_friction;
    if (pair->restitution >= 0) c.restitution = pair->restitution;
  }
  c.static_friction = std::max(c.static_friction, c.friction);
  c.directed = false;
  const bool was_plain = c.is_plain;
  c.is_plain = is_plain(a) && is_plain(b);
  if (!was_plain || !c.is_plain) combine_rare(a, b, q_a, q_b, c);
}

}  // namespace

void ContactProxies::clear() {
  sources_.clear();
  bodies_.clear();
  materials_.clear();
}

void ContactProxies::update(const World& world, const SearchRange& range, const ThreadPool& threads,
                            bool same_definitions) {
  if (range.envelope != envelope_) sources_.clear();
  envelope_ = range.envelope;
  bounds_.resize(world.id_capacity());
  for (ProxyBounds& bounds : bounds_) bounds.present = false;
  frames_.resize(world.id_capacity());
  sources_.resize(world.id_capacity());
  bodies_.resize(world.id_capacity());
  if (!same_definitions) find_loops(world);
  threads.for_range(
      world.state().size(), kBodiesPerTask,
      [&](std::size_t begin, std::size_t end) {
        for (auto slot = static_cast<std::uint32_t>(begin); slot < end; ++slot)
          update_body(world, slot, range, same_definitions);
      },
      kFewBodies);
  share_materials(world, same_definitions);
}

void ContactProxies::update_body(const World& world, std::uint32_t slot, const SearchRange& range,
                                 bool same_definitions) {
  const BodyState& s = world.state();
  const std::uint32_t index = s.id_index[slot];
  ProxyBounds& bounds = bounds_[index];
  bounds.present = world.can_collide(slot) && slot < s.end(BodySet::still);
  if (!bounds.present) return;
  // Kinematic bodies push others but do not meet fixed ones; sleeping bodies meet what moves.
  bounds.moves = slot < s.end(BodySet::kinematic);
  const BodyId id = world.id_of(index);
  Body& body = bodies_[index];
  if (!same_definitions || body.generation != id.generation) {
    body.material = kUnknown;
    body.is_reshaped = is_reshaped(world, id);
    body.shape_changes = world.shape_changes(slot);
  }
  body.shape = world.collision_shape(slot).get();
  body.parts = part_index(*body.shape);
  body.slot = slot;
  body.generation = id.generation;
  Source& source = sources_[index];
  if (bounds.moves) {
    source.shape = nullptr;  // compute again: its pose changes
  } else {
    const Source now{
        {s.position[slot], s.orientation[slot]}, world.shape_frame(slot), body.shape, world.shape_changes(slot)};
    if (source == now) return;
    source = now;
  }
  Transform& frame = frames_[index];
  frame = Transform{s.position[slot], s.orientation[slot]} * world.shape_frame(slot);
  bounds.box = body_bounds(*body.shape, frame);
  const Vec3 margin{0.5 * range.envelope, 0.5 * range.envelope, 0.5 * range.envelope};
  body.reach =
      bounds.moves ? widen(bounds.box, s.velocity[slot], s.angular_velocity[slot], range.ahead, range.envelope) : 0;
  bounds.box.lower -= margin;
  bounds.box.upper += margin;
}

void ContactProxies::find_loops(const World& world) {
  for (Body& body : bodies_) body.is_joined = body.has_joint = false;
  JointedGroups groups(world);
  for (const JointId id : world.joints())
    for (const BodyId end : {world.joint(id).a, world.joint(id).b}) {
      const std::uint32_t slot = world.slot(end);
      if (end != world.world_body()) bodies_[end.index].has_joint = true;
      if (end == world.world_body() || !world.can_collide(slot) || !groups.has_loops(end)) continue;
      bodies_[end.index].is_joined = true;
    }
}

/// Stores one copy of each material, so that they fit into the processor's caches.
void ContactProxies::share_materials(const World& world, bool same_definitions) {
  constexpr std::size_t kFew = 16;  // bodies of one material often follow each other
  if (!same_definitions) materials_.clear();
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(bodies_.size()); ++i) {
    Body& body = bodies_[i];
    if (!bounds_[i].present || body.material != kUnknown) continue;
    const Material& own = world.body_def({i, body.generation}).material;
    const std::size_t first = materials_.size() - std::min(kFew, materials_.size());
    const auto found = std::find(materials_.begin() + static_cast<std::ptrdiff_t>(first), materials_.end(), own);
    body.material = static_cast<std::uint32_t>(found - materials_.begin());
    if (found == materials_.end()) materials_.push_back(own);
  }
}

bool ContactProxies::is_reshaped(const World& world, BodyId id) const {
  if (id.index >= bodies_.size() || !world.contains(id)) return false;
  const Body& body = bodies_[id.index];
  return body.generation == id.generation && body.shape_changes != kUnknown &&
         body.shape_changes != world.shape_changes(world.slot(id));
}

/// The distance (m) up to which contact points are found so that the bodies, at their present velocities, do not overlap too far within the
/// time ahead. Lever arms start at the center of mass, wherever the origin of the body's frame is.
double ContactProxies::reach_ahead(const BodyState& s, const ProxyPair& pair, double ahead) const {
  const Body &a = bodies_[pair.a], &b = bodies_[pair.b];
  const auto size = [](const Body& body) {
    return body.shape->local_bounds().upper - body.shape->local_bounds().lower;
  };
  const auto half_width = [&](const Body& body) {
    const Vec3 sides = size(body);
    return 0.5 * std::min({sides.x, sides.y, sides.z});
  };
  const auto turn = [&](const Body& body, std::uint32_t id) {
    const Aabb& box = body.shape->local_bounds();
    const Vec3 middle = transform_point(frames_[id], 0.5 * (box.lower + box.upper));
    const double arm = length(middle - s.position[body.slot]) + 0.5 * length(size(body));
    return arm * std::min(ahead * length(s.angular_velocity[body.slot]), kLargestTurn);
  };
  const double closing = ahead * length(s.velocity[a.slot] - s.velocity[b.slot]) + turn(a, pair.a) + turn(b, pair.b);
  return closing - kMayOverlap * 2 * std::min(half_width(a), half_width(b));
}

void ContactProxies::find_obstacles(const BodyState& s, std::span<const ProxyPair> pairs) {
  const auto is_obstacle = [&](const Body& body) { return s.inverse_mass[body.slot] == 0 && !body.shape->as<Plane>(); };
  for (Body& body : bodies_) body.meets_fixed = false;
  for (const ProxyPair& pair : pairs) {
    Body &a = bodies_[pair.a], &b = bodies_[pair.b];
    if (a.reach > 0 && is_obstacle(b)) a.meets_fixed = true;
    if (b.reach > 0 && is_obstacle(a)) b.meets_fixed = true;
  }
}

/// How far ahead of a body points of a plane are found (m). A fast body that may meet another fixed body first has none: it would bounce off the plane
/// under the table that it falls on. Continuous collision stops it at either; it does so for bodies without joints that move farther than half of their width.
double ContactProxies::reach_of_plane(const BodyState& s, const ProxyPair& pair, double ahead) const {
  const Body &a = bodies_[pair.a], &b = bodies_[pair.b];
  const Body& body = a.shape->as<Plane>() ? b : a;
  if (body.meets_fixed && !body.has_joint) {
    const Vec3 sides = body.shape->local_bounds().upper - body.shape->local_bounds().lower;
    if (ahead * length(s.velocity[body.slot]) > 0.5 * std::min({sides.x, sides.y, sides.z})) return 0;
  }
  return a.reach + b.reach;
}

double ContactProxies::reach(const BodyState& state, const ProxyPair& pair, const SearchRange& range) const {
  const Body &a = bodies_[pair.a], &b = bodies_[pair.b];
  const bool has_plane = a.shape->as<Plane>() || b.shape->as<Plane>();
  const double apart =
      range.envelope + (has_plane && a.reach + b.reach > 0 ? reach_of_plane(state, pair, range.ahead) : 0);
  const bool is_joined = a.is_joined && b.is_joined;
  if (range.ahead > 0 && !has_plane && (is_joined || is_driven(state, a.slot, b.slot)))
    return std::max(apart, reach_ahead(state, pair, range.ahead));
  return apart;
}

void ContactProxies::combine_surfaces(const World& world, Contact& c) const {
  const Body &a = bodies_[c.a.index], &b = bodies_[c.b.index];
  c.disabled = false;
  const Material &material_a = material_at(a.parts, materials_[a.material], c.part_a),
                 &material_b = material_at(b.parts, materials_[b.material], c.part_b);
  const bool turned = has_direction(material_a) || has_direction(material_b);
  combine_materials(world.material_rules(), material_a, material_b, turned ? world.orientation(c.a) : Quat{},
                    turned ? world.orientation(c.b) : Quat{}, c);
}

}  // namespace rigor
