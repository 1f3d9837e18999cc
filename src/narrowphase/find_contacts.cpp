#include "narrowphase/find_contacts.h"

#include <algorithm>

#include "model/shape_index.h"
#include "narrowphase/combine_materials.h"
#include "narrowphase/match_contacts.h"
#include "narrowphase/quick_bounds.h"
#include "rigor/profile.h"

namespace rigor {

namespace {

constexpr std::size_t kBodiesPerTask = 256, kPairsPerTask = 32;
/// What a body is made of where it touches: parts of composites may have a material of their own.
const Material& material_at(const World& world, BodyId id, std::uint32_t part) {
  const PartIndex* parts = part_index(*world.collision_shape(world.slot(id)));
  const Material* own = parts ? parts->material_of(part) : nullptr;
  return own ? *own : world.body_def(id).material;
}

void fill_materials(const World& world, Contact& c) {
  const Material &a = material_at(world, c.a, c.part_a), &b = material_at(world, c.b, c.part_b);
  const bool turned = has_direction(a) || has_direction(b);
  combine_materials(world.material_rules(), a, b, turned ? world.orientation(c.a) : Quat{},
                    turned ? world.orientation(c.b) : Quat{}, c);
}

/// Everything but what is carried over from the last step. Points that the manifold does not have stay as they are.
void fill_contact(const World& world, BodyId a, BodyId b, const Transform& b_in_a, const Transform& frame_a,
                  const Manifold& m, Contact& c) {
  c.a = a, c.b = b;
  c.part_a = m.part_a, c.part_b = m.part_b;
  c.normal = rotate(frame_a.rotation, m.normal);
  c.count = m.count;
  c.tangent = c.surface_velocity = {};
  c.directed = false, c.friction_across = 1;
  fill_materials(world, c);
  const Transform &shape_a = world.shape_frame(world.slot(a)), &shape_b = world.shape_frame(world.slot(b));
  for (int k = 0; k < m.count; ++k) {
    const ManifoldPoint& from = m.points[static_cast<std::size_t>(k)];
    ContactPoint& to = c.points[static_cast<std::size_t>(k)];
    to = {};
    to.local_a = transform_point(shape_a, from.on_a);
    to.local_b = transform_point(shape_b, inverse_transform_point(b_in_a, from.on_b));
    to.separation = from.separation;
    to.key = from.key;
  }
}

ProxyPair index_pair(const Contact& c) { return {c.a.index, c.b.index}; }

}  // namespace

void ContactFinder::find(const World& world, Broadphase& broadphase, const Narrowphase& narrowphase, double envelope,
                         const ThreadPool& threads) {
  if (epoch_ != world.epoch()) *this = ContactFinder();  // another world: ids mean other bodies
  epoch_ = world.epoch();
  if (broadphase.is_off()) {
    pairs_.clear(), kept_.clear(), contacts_.clear();
    return;
  }
  if (world.state().end(BodySet::kinematic) == 0) {  // nothing moves, so nothing is a pair
    pairs_.clear(), kept_.clear(), contacts_.clear();
    return;
  }
  {
    const StageScope scope(Stage::broad_phase);
    update_bounds(world, envelope, threads);
    broadphase.find_pairs(bounds_, pairs_);
    filter_pairs(world);
  }
  const StageScope scope(Stage::narrow_phase);
  prepare_tasks(world, envelope);
  threads.for_range(pairs_.size(), kPairsPerTask, [&](std::size_t begin, std::size_t end) {
    narrowphase.collide(std::span(tasks_).subspan(begin, end - begin));
  });
  collect(world, threads);
}

void ContactFinder::update_bounds(const World& world, double envelope, const ThreadPool& threads) {
  const BodyState& s = world.state();
  if (envelope != envelope_) seen_.clear();
  envelope_ = envelope;
  bounds_.resize(world.id_capacity());
  for (ProxyBounds& bounds : bounds_) bounds.present = false;
  frames_.resize(world.id_capacity());
  seen_.resize(world.id_capacity());
  threads.for_range(s.size(), kBodiesPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::uint32_t i = static_cast<std::uint32_t>(begin); i < end; ++i) {
      ProxyBounds& bounds = bounds_[s.id_index[i]];
      bounds.present = world.can_collide(i) && i < s.end(BodySet::still);
      if (!bounds.present) continue;
      // Kinematic bodies push others but do not meet fixed ones; sleeping bodies meet what moves.
      bounds.moves = i < s.end(BodySet::kinematic);
      const Seen now{{s.position[i], s.orientation[i]}, world.shape_frame(i), world.collision_shape(i).get()};
      if (!bounds.moves && seen_[s.id_index[i]] == now) continue;  // what rests is where it was
      seen_[s.id_index[i]] = now;
      Transform& frame = frames_[s.id_index[i]];
      frame = Transform{s.position[i], s.orientation[i]} * world.shape_frame(i);
      bounds.box = body_bounds(*world.collision_shape(i), frame);
      const Vec3 margin{0.5 * envelope, 0.5 * envelope, 0.5 * envelope};
      bounds.box.lower -= margin, bounds.box.upper += margin;
    }
  });
}

void ContactFinder::filter_pairs(const World& world) {
  std::erase_if(pairs_, [&](const ProxyPair& p) { return !world.may_collide(world.id_of(p.a), world.id_of(p.b)); });
}

void ContactFinder::prepare_tasks(const World& world, double envelope) {
  if (tasks_.size() < pairs_.size()) tasks_.resize(pairs_.size());
  std::size_t old = 0;  // both lists are sorted: one walk finds every pair again
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    PairTask& t = tasks_[k];
    const ProxyPair pair = pairs_[k];
    t.a = world.collision_shape(world.slot(world.id_of(pair.a))).get();
    t.b = world.collision_shape(world.slot(world.id_of(pair.b))).get();
    t.query = {inverse(frames_[pair.a]) * frames_[pair.b], envelope};
    t.manifolds.clear();
    const auto before = [&](const KeptPair& kept) { return ProxyPair{kept.a.index, kept.b.index} < pair; };
    while (old < kept_.size() && before(kept_[old])) ++old;
    const bool known = old < kept_.size() && kept_[old].a == world.id_of(pair.a) && kept_[old].b == world.id_of(pair.b);
    t.cache = known ? kept_[old].cache : PairCache{};
  }
}

void ContactFinder::collect(const World& world, const ThreadPool& threads) {
  std::swap(contacts_, old_contacts_);
  first_contact_.resize(pairs_.size() + 1);
  first_contact_[0] = 0;
  kept_.resize(pairs_.size());
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const std::vector<Manifold>& found = tasks_[k].manifolds;
    const auto count = std::count_if(found.begin(), found.end(), [](const Manifold& m) { return m.count > 0; });
    first_contact_[k + 1] = first_contact_[k] + static_cast<std::uint32_t>(count);
    kept_[k] = {world.id_of(pairs_[k].a), world.id_of(pairs_[k].b), tasks_[k].cache};
  }
  contacts_.resize(first_contact_.back());
  threads.for_range(pairs_.size(), kPairsPerTask,
                    [&](std::size_t begin, std::size_t end) { collect_pairs(world, begin, end); });
}

void ContactFinder::collect_pairs(const World& world, std::size_t begin, std::size_t end) {
  const auto first = std::lower_bound(old_contacts_.begin(), old_contacts_.end(), pairs_[begin],
                                      [](const Contact& c, const ProxyPair& p) { return index_pair(c) < p; });
  auto old = static_cast<std::size_t>(first - old_contacts_.begin()), old_end = old;  // of the present pair
  for (std::size_t k = begin; k < end; ++k) {
    const BodyId a = kept_[k].a, b = kept_[k].b;
    for (old = old_end; old < old_contacts_.size() && index_pair(old_contacts_[old]) < pairs_[k];) ++old;
    for (old_end = old; old_end < old_contacts_.size() && index_pair(old_contacts_[old_end]) == pairs_[k];) ++old_end;
    const bool same_bodies = old < old_end && old_contacts_[old].a == a && old_contacts_[old].b == b;
    const OldContacts candidates(same_bodies ? std::span<const Contact>(old_contacts_).subspan(old, old_end - old)
                                             : std::span<const Contact>());
    std::size_t place = first_contact_[k];
    for (const Manifold& m : tasks_[k].manifolds) {
      if (m.count == 0) continue;
      Contact& c = contacts_[place++];
      fill_contact(world, a, b, tasks_[k].query.b_in_a, frames_[a.index], m, c);
      const Contact* match = candidates.match(c);
      if (match) carry_impulses(*match, c);
      if (!c.directed) c.tangent = carried_tangent(match ? match->tangent : Vec3{}, c.normal);
    }
  }
}

}  // namespace rigor
