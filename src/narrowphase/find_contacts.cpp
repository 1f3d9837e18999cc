#include "narrowphase/find_contacts.h"

#include <algorithm>

namespace rigor {

namespace {

/// Order of contacts of one pair: by parts.
bool same_manifold(const Contact& c, BodyId a, BodyId b, const Manifold& m) {
  return c.a == a && c.b == b && c.part_a == m.part_a && c.part_b == m.part_b;
}

/// Impulses of the old points whose keys are found again.
void carry_impulses(const Contact& old, Contact& now) {
  for (int i = 0; i < now.count; ++i) {
    ContactPoint& p = now.points[static_cast<std::size_t>(i)];
    for (int k = 0; k < old.count; ++k) {
      const ContactPoint& o = old.points[static_cast<std::size_t>(k)];
      if (o.key != p.key) continue;
      p.normal_impulse = o.normal_impulse;
      p.tangent_impulse[0] = o.tangent_impulse[0];
      p.tangent_impulse[1] = o.tangent_impulse[1];
      p.persisted = true;
      break;
    }
  }
}

/// The old tangent laid into the new tangent plane, or a fresh one.
Vec3 carried_tangent(const Vec3& old, const Vec3& normal) {
  const Vec3 projected = old - dot(old, normal) * normal;
  if (length_squared(projected) > 0.25) return normalized(projected);
  Vec3 t1, t2;
  tangents(normal, t1, t2);
  return t1;
}

Contact make_contact(const World& world, BodyId a, BodyId b, const Transform& frame_a, const Manifold& m) {
  const BodyState& s = world.state();
  const std::uint32_t i = world.slot(a), j = world.slot(b);
  Contact c;
  c.a = a, c.b = b;
  c.part_a = m.part_a, c.part_b = m.part_b;
  c.normal = rotate(frame_a.rotation, m.normal);
  c.count = m.count;
  const Material &ma = world.body_def(a).material, &mb = world.body_def(b).material;
  // 7.4.1, StandardMaterialCombiner: the larger friction, the smaller restitution.
  c.friction = std::max(ma.friction, mb.friction);
  c.restitution = std::min(ma.restitution, mb.restitution);
  for (int k = 0; k < m.count; ++k) {
    const ManifoldPoint& from = m.points[static_cast<std::size_t>(k)];
    ContactPoint& to = c.points[static_cast<std::size_t>(k)];
    to.local_a = rotate_inverse(s.orientation[i], transform_point(frame_a, from.on_a) - s.position[i]);
    to.local_b = rotate_inverse(s.orientation[j], transform_point(frame_a, from.on_b) - s.position[j]);
    to.separation = from.separation;
    to.key = from.key;
  }
  return c;
}

constexpr std::size_t kBodiesPerTask = 256, kPairsPerTask = 32;

}  // namespace

void ContactFinder::clear() { *this = ContactFinder(); }

void ContactFinder::find(const World& world, Broadphase& broadphase, const Narrowphase& narrowphase, double envelope,
                         const ThreadPool& threads) {
  update_bounds(world, envelope, threads);
  std::swap(pairs_, old_pairs_);
  broadphase.find_pairs(bounds_, pairs_);
  filter_pairs(world);
  prepare_tasks(world, envelope);
  threads.for_range(pairs_.size(), kPairsPerTask, [&](std::size_t begin, std::size_t end) {
    narrowphase.collide(std::span(tasks_).subspan(begin, end - begin));
  });
  collect(world);
}

void ContactFinder::update_bounds(const World& world, double envelope, const ThreadPool& threads) {
  const BodyState& s = world.state();
  bounds_.assign(world.id_capacity(), {});
  frames_.resize(world.id_capacity());
  threads.for_range(s.size(), kBodiesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::uint32_t i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      ProxyBounds& bounds = bounds_[s.id_index[i]];
      bounds.present = world.can_collide(i) && i < s.end(BodySet::still);
      if (!bounds.present) continue;
      // Kinematic bodies push others but do not meet fixed ones; sleeping bodies meet what moves.
      bounds.moves = i < s.end(BodySet::kinematic);
      Transform& frame = frames_[s.id_index[i]];
      frame = Transform{s.position[i], s.orientation[i]} * world.shape_frame(i);
      bounds.box = world_bounds(*world.collision_shape(i), frame);
      const Vec3 margin{0.5 * envelope, 0.5 * envelope, 0.5 * envelope};
      bounds.box.lower -= margin, bounds.box.upper += margin;
    }
  });
}

void ContactFinder::filter_pairs(const World& world) {
  std::erase_if(pairs_, [&](const ProxyPair& p) { return !world.may_collide(world.id_of(p.a), world.id_of(p.b)); });
}

void ContactFinder::prepare_tasks(const World& world, double envelope) {
  old_caches_.resize(old_pairs_.size());
  for (std::size_t k = 0; k < old_pairs_.size(); ++k) old_caches_[k] = tasks_[k].cache;
  if (tasks_.size() < pairs_.size()) tasks_.resize(pairs_.size());
  std::size_t old = 0;  // both lists are sorted: one walk finds every pair again
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    PairTask& t = tasks_[k];
    const ProxyPair pair = pairs_[k];
    t.a = world.collision_shape(world.slot(world.id_of(pair.a))).get();
    t.b = world.collision_shape(world.slot(world.id_of(pair.b))).get();
    t.query = {inverse(frames_[pair.a]) * frames_[pair.b], envelope};
    t.manifolds.clear();
    while (old < old_pairs_.size() && old_pairs_[old] < pair) ++old;
    t.cache = old < old_pairs_.size() && old_pairs_[old] == pair ? old_caches_[old] : PairCache{};
  }
}

void ContactFinder::collect(const World& world) {
  std::swap(contacts_, old_contacts_);
  contacts_.clear();
  std::size_t old = 0;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const BodyId a = world.id_of(pairs_[k].a), b = world.id_of(pairs_[k].b);
    const auto before = [&](const Contact& c) { return ProxyPair{c.a.index, c.b.index} < ProxyPair{a.index, b.index}; };
    while (old < old_contacts_.size() && before(old_contacts_[old])) ++old;
    for (const Manifold& m : tasks_[k].manifolds) {
      if (m.count == 0) continue;
      Contact c = make_contact(world, a, b, frames_[a.index], m);
      const Contact* match = nullptr;
      for (std::size_t i = old; i < old_contacts_.size() && old_contacts_[i].a == a && old_contacts_[i].b == b; ++i)
        if (same_manifold(old_contacts_[i], a, b, m)) match = &old_contacts_[i];
      if (match) carry_impulses(*match, c);
      c.tangent = carried_tangent(match ? match->tangent : Vec3{}, c.normal);
      contacts_.push_back(c);
    }
  }
}

}  // namespace rigor
