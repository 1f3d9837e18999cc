#include "narrowphase/find_contacts.h"

#include <algorithm>
#include <functional>
#include <ranges>

#include "model/shape_index.h"
#include "narrowphase/combine_materials.h"
#include "narrowphase/quick_bounds.h"
#include "rigor/profile.h"

namespace rigor {

namespace {

constexpr std::size_t kBodiesPerTask = 256, kPairsPerTask = 32;
constexpr double kSameNormal = 0.9;  // cosine; beyond it old impulses mean nothing

bool has_key(const Contact& c, std::uint32_t key) {
  for (int i = 0; i < c.count; ++i)
    if (c.points[static_cast<std::size_t>(i)].key == key) return true;
  return false;
}

/// How much an old contact of the same pair looks like a new one: shared keys first, then the same parts, then the normal. A
/// body that slides on to the next triangle of a mesh keeps its keys.
double likeness(const Contact& old, const Contact& now) {
  double score = old.part_a == now.part_a && old.part_b == now.part_b ? 2.0 : 0.0;
  for (int i = 0; i < now.count; ++i) score += has_key(old, now.points[static_cast<std::size_t>(i)].key) ? 4.0 : 0.0;
  return score + dot(old.normal, now.normal);
}

/// The most similar of the old contacts offered, if it points the same way at all.
struct BestMatch {
  const Contact& now;
  const Contact* contact = nullptr;
  double score = 0;

  void offer(const Contact& old) {
    const double s = likeness(old, now);
    if (dot(old.normal, now.normal) < kSameNormal || (contact && s <= score)) return;
    contact = &old, score = s;
  }
};

/// The contacts of one pair of bodies in the last step. Composites may have thousands of them: of more than kFew, only those that
/// have a part in common with the new one are compared, or both parts, where one of them has many contacts.
class OldContacts {
 public:
  explicit OldContacts(std::span<const Contact> contacts) : contacts_(contacts) {
    if (contacts.size() <= kFew) return;
    by_a_.assign(contacts.begin(), contacts.end());
    by_b_ = by_a_;
    std::stable_sort(by_a_.begin(), by_a_.end(), [](auto& x, auto& y) { return parts_ab(x) < parts_ab(y); });
    std::stable_sort(by_b_.begin(), by_b_.end(), [](auto& x, auto& y) { return parts_ba(x) < parts_ba(y); });
  }

  const Contact* match(const Contact& now) const {
    BestMatch best{now};
    if (contacts_.size() <= kFew) {
      for (const Contact& old : contacts_) best.offer(old);
    } else {
      offer_some(by_a_, parts_ab, best);
      offer_some(by_b_, parts_ba, best);
    }
    return best.contact;
  }

 private:
  using Parts = std::pair<std::uint32_t, std::uint32_t>;
  using Reference = std::reference_wrapper<const Contact>;
  static constexpr std::size_t kFew = 64;
  static Parts parts_ab(const Contact& c) { return {c.part_a, c.part_b}; }
  static Parts parts_ba(const Contact& c) { return {c.part_b, c.part_a}; }

  template <class PartsOf>
  static void offer_some(const std::vector<Reference>& sorted, PartsOf parts, BestMatch& best) {
    const auto first_part = [&](const Contact& c) { return parts(c).first; };
    auto range = std::ranges::equal_range(sorted, first_part(best.now), {}, first_part);
    if (range.size() > kFew) range = std::ranges::equal_range(range, parts(best.now), {}, parts);
    for (const Contact& old : range) best.offer(old);
  }

  std::span<const Contact> contacts_;
  std::vector<Reference> by_a_, by_b_;
};

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
      p.rolling_impulse[0] = o.rolling_impulse[0];
      p.rolling_impulse[1] = o.rolling_impulse[1];
      p.spinning_impulse = o.spinning_impulse;
      p.approach_speed = o.approach_speed;
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

/// What a body is made of where it touches: parts of composites may have a material of their own.
const Material& material_at(const World& world, BodyId id, std::uint32_t part) {
  const PartIndex* parts = part_index(*world.collision_shape(world.slot(id)));
  const Material* own = parts ? parts->material_of(part) : nullptr;
  return own ? *own : world.body_def(id).material;
}

Contact make_contact(const World& world, BodyId a, BodyId b, const Transform& frame_a, const Manifold& m) {
  const BodyState& s = world.state();
  const std::uint32_t i = world.slot(a), j = world.slot(b);
  Contact c;
  c.a = a, c.b = b;
  c.part_a = m.part_a, c.part_b = m.part_b;
  c.normal = rotate(frame_a.rotation, m.normal);
  c.count = m.count;
  combine_materials(world.material_rules(), material_at(world, a, m.part_a), material_at(world, b, m.part_b),
                    world.orientation(a), world.orientation(b), c);
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
  collect(world);
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

void ContactFinder::collect(const World& world) {
  std::swap(contacts_, old_contacts_);
  contacts_.clear();
  kept_.clear();
  std::size_t old = 0, old_end = 0;  // the old contacts of the present pair
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const BodyId a = world.id_of(pairs_[k].a), b = world.id_of(pairs_[k].b);
    kept_.push_back({a, b, tasks_[k].cache});
    const auto index_pair = [](const Contact& c) { return ProxyPair{c.a.index, c.b.index}; };
    for (old = old_end; old < old_contacts_.size() && index_pair(old_contacts_[old]) < pairs_[k];) ++old;
    for (old_end = old; old_end < old_contacts_.size() && index_pair(old_contacts_[old_end]) == pairs_[k];) ++old_end;
    const bool same_bodies = old < old_end && old_contacts_[old].a == a && old_contacts_[old].b == b;
    const OldContacts candidates(same_bodies ? std::span<const Contact>(old_contacts_).subspan(old, old_end - old)
                                             : std::span<const Contact>());
    for (const Manifold& m : tasks_[k].manifolds) {
      if (m.count == 0) continue;
      Contact c = make_contact(world, a, b, frames_[a.index], m);
      const Contact* match = candidates.match(c);
      if (match) carry_impulses(*match, c);
      if (!c.directed) c.tangent = carried_tangent(match ? match->tangent : Vec3{}, c.normal);
      contacts_.push_back(c);
    }
  }
}

}  // namespace rigor
