#include "lab/torture/contact_watch.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "model/thickness.h"
#include "rigor/queries.h"

namespace rigor {

namespace {

constexpr double kLastsTooLong = 0.5, kLook = 0.05, kTimeToPart = 1;  // s
constexpr double kSlop = 0.002;  // m, many methods let contacts penetrate by a millimetre

const Shape& collision_shape(const World& world, BodyId id) { return *world.collision_shape(world.slot(id)); }

Vec3 direction_to_body(const World& world, BodyId id, const Vec3& direction) {
  return rotate_inverse(world.orientation(id), direction);
}

/// The height of a field's surface above a point of its plane; nothing beyond its border.
std::optional<double> height_at(const HeightField& field, double x, double z) {
  const double column = x / field.spacing_x + 0.5 * (field.columns - 1);
  const double row = z / field.spacing_z + 0.5 * (field.rows - 1);
  if (column < 0 || row < 0 || column >= field.columns - 1 || row >= field.rows - 1) return std::nullopt;
  const int c = static_cast<int>(column), r = static_cast<int>(row);
  const double fx = column - c, fz = row - r;
  const auto at = [&](int i, int k) {
    return field.heights[static_cast<std::size_t>((r + k) * field.columns + c + i)];
  };
  return (1 - fz) * ((1 - fx) * at(0, 0) + fx * at(1, 0)) + fz * ((1 - fx) * at(0, 1) + fx * at(1, 1));
}

}  // namespace

DepthWatch::DepthWatch(const World& world, const std::vector<BodyId>& bodies, double h)
    : every_(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(kLook / h))) {
  for (const BodyId id : bodies) thickness_[id] = thickness(collision_shape(world, id));
}

void DepthWatch::look(const World& world, const ContactList& contacts, const PinchWatch& pinch, double time,
                      Judgement& judgement) {
  if (time < kTimeToPart) return;
  std::map<std::pair<BodyId, BodyId>, double> depth;
  for (const Contact& c : contacts)
    for (int i = 0; i < c.count; ++i) {
      double& d = depth[{c.a, c.b}];
      d = std::max(d, -c.points[static_cast<std::size_t>(i)].separation);
    }
  std::map<std::pair<BodyId, BodyId>, Lasting> still;
  for (const auto& [pair, d] : depth) {
    if (pinch.is_excused(pair.first) || pinch.is_excused(pair.second)) continue;
    double t = kUnbounded;
    for (const BodyId id : {pair.first, pair.second})
      if (const auto found = thickness_.find(id); found != thickness_.end()) t = std::min(t, found->second);
    const double allowed = std::max({0.1 * t, std::min(0.005, 0.5 * t), 0.0015});
    judgement.penetration = std::max(judgement.penetration, d);
    if (d <= allowed) continue;
    const auto before = deep_.find(pair);
    Lasting& lasting = still[pair] = before == deep_.end() ? Lasting{time, time} : before->second;
    lasting.last = time;
    if (time - lasting.since < kLastsTooLong) continue;
    judgement.add({Verdict::deep, world.name(pair.first) + " and " + world.name(pair.second), time, d, allowed});
  }
  deep_ = std::move(still);
}

ThroughWatch::ThroughWatch(const World& world, const std::vector<BodyId>& bodies, double h)
    : stays_(std::max(0.1, 3 * h) - 1e-9) {
  for (const BodyId id : world.bodies()) {
    if (id == world.world_body() || !world.is_fixed(id) || !world.body_def(id).can_collide) continue;
    const Shape& shape = collision_shape(world, id);
    (shape.as<Plane>() || shape.as<HeightField>() ? grounds_ : obstacles_).push_back(id);
  }
  for (const BodyId id : bodies) {
    if (!world.body_def(id).can_collide) continue;
    const Vec3 center = world.mass_properties(id).center_of_mass;
    const double radius = collision_shape(world, id).bounding_radius() + length(center);
    bodies_.push_back({id, radius, 0, center_by_obstacle(world, id), {}});
  }
}

std::vector<Vec3> ThroughWatch::center_by_obstacle(const World& world, BodyId id) const {
  std::vector<Vec3> centers;
  for (const BodyId obstacle : obstacles_) centers.push_back(world.to_body(obstacle, world.center_of_mass(id)));
  return centers;
}

bool ThroughWatch::is_below(const World& world, const Watched& body, BodyId fixed) const {
  const Vec3 p = world.to_body(fixed, world.center_of_mass(body.id));
  const auto* field = collision_shape(world, fixed).as<HeightField>();
  if (!field) return p.y < -body.radius - kSlop;
  const std::optional<double> height = height_at(*field, p.x, p.z);
  return height && p.y < *height - 2 * body.radius - kSlop;  // twice: slopes
}

/// A body whose center is inside a fixed one is checked from its last position outside.
void ThroughWatch::find_crossings(const World& world, const Queries& picture, Watched& body) const {
  const Vec3 now = world.center_of_mass(body.id);
  bool is_inside = false;
  for (std::size_t k = 0; k < obstacles_.size(); ++k) {
    const BodyId id = obstacles_[k];
    const QueryFilter only{.accept = [&](BodyId other) { return other == id && world.may_collide(other, body.id); }};
    const Vec3 last = world.to_world(id, body.last[k]), way = now - last;
    if (length_squared(way) == 0) continue;
    const auto there = picture.ray_cast(last, way, only), back = picture.ray_cast(now, -way, only);
    if (!there || !back || there->fraction == 0) continue;
    is_inside = is_inside || back->fraction == 0;
    if (back->fraction == 0 || dot(there->normal, back->normal) > -0.5) continue;
    const Vec3 point = world.to_body(id, there->point), normal = direction_to_body(world, id, there->normal);
    const auto returns = [&](const Crossing& c) { return c.fixed == id && dot(c.normal, normal) < -0.5; };
    if (std::erase_if(body.crossings, returns) == 0) body.crossings.push_back({id, point, normal});
  }
  if (!is_inside) body.last = center_by_obstacle(world, body.id);
}

/// m, behind the face of entry.
double ThroughWatch::depth_beyond(const World& world, const Watched& body, const Crossing& c) {
  return dot(c.normal, c.point - world.to_body(c.fixed, world.center_of_mass(body.id)));
}

/// The fixed body that it is beyond now; null id: none.
BodyId ThroughWatch::beyond(const World& world, const Watched& body) const {
  for (const BodyId ground : grounds_)
    if (is_below(world, body, ground) && world.may_collide(ground, body.id)) return ground;
  for (const Crossing& c : body.crossings)
    if (depth_beyond(world, body, c) > body.radius + kSlop) return c.fixed;
  return {};
}

void ThroughWatch::step_done(const World& world, const PinchWatch& pinch, double time, Judgement& judgement) {
  if (judgement.has(Verdict::through)) return;
  std::unique_ptr<Queries> picture;
  if (!obstacles_.empty()) picture = std::make_unique<Queries>(world);
  for (Watched& body : bodies_) {
    if (pinch.is_excused(body.id)) continue;
    if (picture) find_crossings(world, *picture, body);
    std::erase_if(body.crossings, [&](const Crossing& c) { return depth_beyond(world, body, c) < 0; });
    const BodyId fixed = beyond(world, body);
    if (!fixed) body.since = time;
    if (time - body.since < stays_) continue;
    judgement.add(
        {Verdict::through, world.name(body.id) + " through " + world.name(fixed), time, time - body.since, stays_});
  }
}

}  // namespace rigor
