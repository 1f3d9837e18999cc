// Queries over a copy of the world's poses: a static tree of the bodies' boxes, and the shape functions of narrowphase/.
#include "rigor/queries.h"

#include <algorithm>

#include "model/box_tree.h"
#include "narrowphase/quick_bounds.h"
#include "narrowphase/ray_cast_shapes.h"
#include "narrowphase/shape_pieces.h"
#include "narrowphase/shape_queries.h"
#include "rigor/world.h"

namespace rigor {

namespace {

/// One body at the time of the copy.
struct Pictured {
  BodyId id;
  ShapePtr shape;
  Transform frame;  // of the shape in the world
  Aabb box;
  std::uint32_t group = 1;
  bool can_collide = true, is_sensor = false;
  Vec3 center, velocity, angular_velocity;
};

void check_finite(const Vec3& v, const char* place) {
  if (!is_finite(v)) throw Error(place, "expected three finite numbers");
}

Transform checked_pose(const Transform& pose) {
  check_finite(pose.translation, "pose");
  const double norm = std::sqrt(dot(pose.rotation, pose.rotation));
  if (!std::isfinite(norm) || norm < 1e-100) throw Error("pose", "expected a rotation");
  return {pose.translation, pose.rotation * (1 / norm)};
}

void check_box(const Aabb& box) {
  for (int k = 0; k < 3; ++k)
    if (!(box.lower[k] <= box.upper[k])) throw Error("box", "expected a lower corner below the upper one");
}

/// Surfaces and planes cannot be cast: there is no function for two of them.
void check_castable(const Shape& shape) {
  visit_leaves(shape, kEverywhere, [](const Shape& leaf, const Transform&, std::uint32_t) {
    if (!is_convex(leaf))
      throw Error("shape_cast", "expected convex shapes or composites of them, got a " + std::string(leaf.type()));
  });
}

bool sees(const QueryFilter& filter, const Pictured& body) {
  if (body.is_sensor ? !filter.sensors : !body.can_collide) return false;
  return (body.group & filter.groups) != 0 && (!filter.accept || filter.accept(body.id));
}

Pictured picture_of(const World& world, BodyId id) {
  const BodyState& s = world.state();
  const std::uint32_t i = world.slot(id);
  const Transform frame = Transform{s.position[i], s.orientation[i]} * world.shape_frame(i);
  const ShapePtr& shape = world.collision_shape(i);
  return {id,
          shape,
          frame,
          body_bounds(*shape, frame),
          world.body_def(id).group,
          world.can_collide(i),
          world.senses(i),
          s.position[i],
          s.velocity[i],
          s.angular_velocity[i]};
}

bool is_bounded(const Aabb& box) { return is_finite(box.lower) && is_finite(box.upper); }

}  // namespace

struct Queries::Picture {
  std::vector<Pictured> bodies;          // by ascending id index
  std::vector<std::uint32_t> bounded;    // tree item → body
  std::vector<std::uint32_t> unbounded;  // planes
  BoxTree tree;
  BodyId world_body;
  std::vector<BodyId> ids;  // scratch
  std::vector<Aabb> boxes;  // of the bounded ones

  void take(const World& world);

  std::string missing(BodyId id) const {
    if (id == world_body) return "the world body has no shape; for the ground use World::ground()";
    return "this query has no such body: it was added later, was removed or is not active";
  }

  const Pictured& find(BodyId id) const {
    const auto it = std::lower_bound(bodies.begin(), bodies.end(), id.index,
                                     [](const Pictured& b, std::uint32_t index) { return b.id.index < index; });
    if (it == bodies.end() || it->id != id) throw Error(missing(id));
    return *it;
  }

  /// Calls visit(body) for bodies that a box swept along a path may touch; visit may lower `reach`.
  template <class Visit>
  void sweep(const Aabb& start, const Vec3& displacement, const double& reach, const QueryFilter& filter,
             Visit visit) const {
    const Vec3 center = 0.5 * (start.lower + start.upper), half = 0.5 * (start.upper - start.lower);
    for (std::uint32_t i : unbounded)
      if (sees(filter, bodies[i])) visit(bodies[i]);
    tree.cast(center, displacement, half, reach, [&](std::uint32_t item) {
      if (sees(filter, bodies[bounded[item]])) visit(bodies[bounded[item]]);
    });
  }

  template <class Visit> void overlapping(const Aabb& box, const QueryFilter& filter, Visit visit) const {
    for (std::uint32_t i : unbounded)
      if (rigor::overlap(bodies[i].box, box) && sees(filter, bodies[i])) visit(bodies[i]);
    tree.query(box, [&](std::uint32_t item) {
      if (sees(filter, bodies[bounded[item]])) visit(bodies[bounded[item]]);
    });
  }
};

/// The tree keeps its structure while the bounded bodies are the same, unless they have spread.
void Queries::Picture::take(const World& world) {
  world_body = world.world_body();
  const BodyState& s = world.state();
  ids.clear();
  for (std::uint32_t i = 0; i < s.end(BodySet::still); ++i)
    if (const BodyId id = world.id_at(i); id != world_body) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  const bool are_same =
      ids.size() == bodies.size() &&
      std::equal(ids.begin(), ids.end(), bodies.begin(), [](BodyId id, const Pictured& b) { return b.id == id; });
  bodies.resize(ids.size());
  const std::size_t was_bounded = boxes.size();
  bounded.clear();
  unbounded.clear();
  boxes.clear();
  for (std::uint32_t k = 0; k < ids.size(); ++k) {
    bodies[k] = picture_of(world, ids[k]);
    const Aabb& box = bodies[k].box;
    (is_bounded(box) ? bounded : unbounded).push_back(k);
    if (is_bounded(box)) boxes.push_back(box);
  }
  const bool is_fit = are_same && boxes.size() == was_bounded && tree.size() == boxes.size() && !tree.refit(boxes);
  if (!is_fit) tree = BoxTree(boxes);
}

Queries::Queries(const World& world) : picture_(std::make_unique<Picture>()) { picture_->take(world); }
void Queries::update(const World& world) {
  if (!picture_) picture_ = std::make_unique<Picture>();
  picture_->take(world);
}

const Queries::Picture& Queries::picture() const {
  if (!picture_) throw Error("queries", "this object was moved from and has no bodies");
  return *picture_;
}
Queries::~Queries() = default;
Queries::Queries(Queries&&) noexcept = default;
Queries& Queries::operator=(Queries&&) noexcept = default;

namespace {

/// A ray against one body, in world coordinates.
bool cast_ray(const Pictured& body, const Vec3& origin, const Vec3& displacement, CastHit& hit) {
  RayHit local;
  const Vec3 from = inverse_transform_point(body.frame, origin);
  if (!ray_cast_shape(*body.shape, from, rotate_inverse(body.frame.rotation, displacement), local)) return false;
  hit = {body.id, local.fraction, origin + local.fraction * displacement, rotate(body.frame.rotation, local.normal)};
  return true;
}

/// Sorts by distance and then by id, independent of the tree's order.
bool comes_first(const CastHit& a, const CastHit& b) {
  return a.fraction != b.fraction ? a.fraction < b.fraction : a.body < b.body;
}

void keep_first(std::optional<CastHit>& best, double& reach, const CastHit& hit) {
  if (best && !comes_first(hit, *best)) return;
  best = hit;
  reach = hit.fraction;
}

}  // namespace

std::optional<CastHit> Queries::ray_cast(const Vec3& origin, const Vec3& displacement,
                                         const QueryFilter& filter) const {
  check_finite(origin, "origin");
  check_finite(displacement, "displacement");
  std::optional<CastHit> best;
  double reach = 1;
  picture().sweep({origin, origin}, displacement, reach, filter, [&](const Pictured& body) {
    if (CastHit hit; cast_ray(body, origin, displacement, hit)) keep_first(best, reach, hit);
  });
  return best;
}

std::vector<CastHit> Queries::ray_cast_all(const Vec3& origin, const Vec3& displacement,
                                           const QueryFilter& filter) const {
  check_finite(origin, "origin");
  check_finite(displacement, "displacement");
  std::vector<CastHit> hits;
  const double reach = 1;
  picture().sweep({origin, origin}, displacement, reach, filter, [&](const Pictured& body) {
    if (CastHit hit; cast_ray(body, origin, displacement, hit)) hits.push_back(hit);
  });
  std::sort(hits.begin(), hits.end(), comes_first);
  return hits;
}

std::optional<CastHit> Queries::shape_cast(const Shape& shape, const Transform& pose, const Vec3& displacement,
                                           const QueryFilter& filter) const {
  check_finite(displacement, "displacement");
  check_castable(shape);
  const Transform start = checked_pose(pose);
  std::optional<CastHit> best;
  double reach = 1;
  picture().sweep(world_bounds(shape, start), displacement, reach, filter, [&](const Pictured& body) {
    ShapeHit hit;
    if (rigor::shape_cast(shape, start, displacement, *body.shape, body.frame, hit))
      keep_first(best, reach, {body.id, hit.fraction, hit.point, hit.normal});
  });
  return best;
}

std::vector<BodyId> Queries::overlap(const Shape& shape, const Transform& pose, const QueryFilter& filter) const {
  const Transform at = checked_pose(pose);
  std::vector<BodyId> ids;
  picture().overlapping(world_bounds(shape, at), filter, [&](const Pictured& body) {
    if (shapes_overlap(shape, *body.shape, inverse(at) * body.frame)) ids.push_back(body.id);
  });
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::vector<BodyId> Queries::overlap(const Aabb& box, const QueryFilter& filter) const {
  check_box(box);
  std::vector<BodyId> ids;
  picture().overlapping(box, filter, [&](const Pictured& body) { ids.push_back(body.id); });
  std::sort(ids.begin(), ids.end());
  return ids;
}

ClosestPoints Queries::closest_points(BodyId a, BodyId b) const {
  const Pictured &pa = picture().find(a), &pb = picture().find(b);
  const ShapeDistance d = shape_distance(*pa.shape, *pb.shape, inverse(pa.frame) * pb.frame);
  if (!std::isfinite(d.separation)) throw Error("closest_points", "two planes have no closest points");
  return {d.separation, transform_point(pa.frame, d.on_a), transform_point(pa.frame, d.on_b),
          rotate(pa.frame.rotation, d.normal)};
}

std::optional<FirstContact> Queries::first_contact(BodyId a, BodyId b, double within, double tolerance) const {
  if (!(std::isfinite(within) && within >= 0)) throw Error("within", "expected a number of seconds, not negative");
  if (!(std::isfinite(tolerance) && tolerance > 0)) throw Error("tolerance", "expected a positive number of metres");
  const auto moving = [](const Pictured& p) { return MovingPose{p.frame, p.center, p.velocity, p.angular_velocity}; };
  const Pictured &pa = picture().find(a), &pb = picture().find(b);
  const Impact impact = time_of_impact(*pa.shape, moving(pa), *pb.shape, moving(pb), within, tolerance);
  if (impact.state == ImpactState::separated) return std::nullopt;
  return FirstContact{impact.time, impact.point, impact.normal};
}

}  // namespace rigor
