// The second half of a search for contacts: manifolds become contacts, matched with those of the last search; contacts that are
// kept turn along with their bodies.
#include <algorithm>

#include "model/shape_index.h"
#include "narrowphase/combine_materials.h"
#include "narrowphase/find_contacts.h"
#include "narrowphase/match_contacts.h"

namespace rigor {

namespace {

constexpr std::size_t kPairsPerTask = 64, kFewPairs = 1024;  // for one thread alone
/// A contact is not kept when the smaller body has moved by more than this part of its size, however far may be kept. Chosen.
constexpr double kPartOfSize = 0.01;

/// Of parts of composites it is their own, if they have one.
const Material& material_at(const Shape& shape, const Material& whole, std::uint32_t part) {
  const PartIndex* parts = part_index(shape);
  const Material* own = parts ? parts->material_of(part) : nullptr;
  return own ? *own : whole;
}

ProxyPair index_pair(const Contact& c) { return {c.a.index, c.b.index}; }

/// Points of round shapes wander over the body when it turns; triangle surfaces have many contacts.
bool is_polyhedron(const Shape& s) { return s.as<Box>() || s.as<Hull>() || s.as<Rectangle>() || s.as<Plane>(); }

/// From the origin to the farthest corner of the bounds.
double reach_of(const Shape& shape) {
  const Aabb& box = shape.local_bounds();
  return length(max(abs(box.lower), abs(box.upper)));
}

std::size_t manifolds_of(const PairTask& task) {
  return static_cast<std::size_t>(
      std::count_if(task.manifolds.begin(), task.manifolds.end(), [](const Manifold& m) { return m.count > 0; }));
}

}  // namespace

/// Everything but what is carried over from the last step. Points that the manifold does not have stay as they are.
void ContactFinder::fill_contact(const World& world, const KeptPair& pair, const Transform& b_in_a, const Manifold& m,
                                 Contact& c) const {
  const Known &a = known_[pair.a.index], &b = known_[pair.b.index];
  c.a = pair.a, c.b = pair.b;
  c.part_a = m.part_a, c.part_b = m.part_b;
  c.normal = rotate(frames_[pair.a.index].rotation, m.normal);
  c.count = m.count;
  c.tangent = c.surface_velocity = {};
  c.directed = false, c.friction_across = 1;
  const Material &material_a = material_at(*a.shape, *a.material, c.part_a),
                 &material_b = material_at(*b.shape, *b.material, c.part_b);
  const bool turned = has_direction(material_a) || has_direction(material_b);
  combine_materials(world.material_rules(), material_a, material_b, turned ? world.orientation(c.a) : Quat{},
                    turned ? world.orientation(c.b) : Quat{}, c);
  const Transform &shape_a = world.shape_frame(a.slot), &shape_b = world.shape_frame(b.slot);
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

/// Whether every contact is where it was.
bool ContactFinder::place_contacts() {
  old_first_contact_.swap(first_contact_);
  first_contact_.resize(pairs_.size() + 1);
  first_contact_[0] = 0;
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    if (task_of_[k] != kNoTask) kept_[k].contacts = static_cast<std::uint32_t>(manifolds_of(tasks_[task_of_[k]]));
    first_contact_[k + 1] = first_contact_[k] + kept_[k].contacts;
  }
  return first_contact_ == old_first_contact_ && contacts_.size() == first_contact_.back();
}

void ContactFinder::collect(const World& world, double keep_within, const ThreadPool& threads) {
  const bool in_place = place_contacts();
  if (!in_place) {
    std::swap(contacts_, old_contacts_);
    contacts_.resize(first_contact_.back());
  }
  threads.for_range(
      pairs_.size(), kPairsPerTask,
      [&](std::size_t begin, std::size_t end) { collect_pairs(world, begin, end, in_place, keep_within); }, kFewPairs);
}

void ContactFinder::collect_pairs(const World& world, std::size_t begin, std::size_t end, bool in_place,
                                  double keep_within) {
  thread_local std::vector<Contact> copies;
  const ContactList& list = in_place ? contacts_ : old_contacts_;
  const auto first = in_place
                         ? list.begin() + first_contact_[begin]
                         : std::lower_bound(list.begin(), list.end(), pairs_[begin],
                                            [](const Contact& c, const ProxyPair& p) { return index_pair(c) < p; });
  auto old = static_cast<std::size_t>(first - list.begin()), old_end = old;  // of the present pair
  for (std::size_t k = begin; k < end; ++k) {
    if (in_place) {  // beyond them others are writing
      old = first_contact_[k], old_end = first_contact_[k + 1];
    } else {
      for (old = old_end; old < list.size() && index_pair(list[old]) < pairs_[k];) ++old;
      for (old_end = old; old_end < list.size() && index_pair(list[old_end]) == pairs_[k];) ++old_end;
    }
    KeptPair& pair = kept_[k];
    const bool same_bodies = old < old_end && list[old].a == pair.a && list[old].b == pair.b;
    if (task_of_[k] == kNoTask) {
      if (pair.contacts == 0) continue;
      Contact& c = contacts_[first_contact_[k]];
      if (!in_place) c = list[old];
      turn_kept(pair, c);
      continue;
    }
    std::span<const Contact> found;
    if (same_bodies) found = std::span<const Contact>(list).subspan(old, old_end - old);
    if (in_place) {  // they are about to be written
      copies.assign(found.begin(), found.end());
      found = copies;
    }
    collect_computed(world, k, found, keep_within);
  }
}

void ContactFinder::turn_kept(KeptPair& pair, Contact& c) const {
  c.normal = rotate(frames_[pair.a.index].rotation, pair.normal);
  c.tangent = carried_tangent(c.tangent, c.normal);
  if (!std::exchange(pair.is_new, false)) return;
  for (int i = 0; i < c.count; ++i) c.points[static_cast<std::size_t>(i)].persisted = true;
}

void ContactFinder::collect_computed(const World& world, std::size_t k, std::span<const Contact> old,
                                     double keep_within) {
  const PairTask& task = tasks_[task_of_[k]];
  const OldContacts candidates(old);
  bool is_directed = false;
  std::size_t place = first_contact_[k];
  for (const Manifold& m : task.manifolds) {
    if (m.count == 0) continue;
    Contact& c = contacts_[place++];
    fill_contact(world, kept_[k], task.query.b_in_a, m, c);
    const Contact* match = candidates.match(c);
    if (match) carry_impulses(*match, c);
    if (!c.directed) c.tangent = carried_tangent(match ? match->tangent : Vec3{}, c.normal);
    is_directed = is_directed || c.directed || c.surface_velocity != Vec3{};
    kept_[k].normal = m.normal;
  }
  kept_[k].cache = task.cache;
  kept_[k].within = 0;
  if (keep_within > 0 && !is_directed) remember(task, keep_within, kept_[k]);
}

/// Where the pair was, if its contact may be kept.
void ContactFinder::remember(const PairTask& task, double keep_within, KeptPair& pair) {
  if (pair.contacts > 1 || !is_polyhedron(*task.a) || !is_polyhedron(*task.b)) return;
  const double reach_a = reach_of(*task.a), reach_b = reach_of(*task.b);
  pair.a_is_smaller = reach_a < reach_b;
  pair.reach = std::min(reach_a, reach_b);
  pair.pose = pair.a_is_smaller ? inverse(task.query.b_in_a) : task.query.b_in_a;
  pair.within = std::isfinite(pair.reach) ? std::min(keep_within, kPartOfSize * pair.reach) : 0;
  pair.is_new = true;
}

void measure_separations(ContactList& contacts, const World& world) {
  const BodyState& s = world.state();
  for (Contact& c : contacts) {
    const std::uint32_t a = world.slot(c.a), b = world.slot(c.b);
    const Vec3 n_a = rotate_inverse(s.orientation[a], c.normal), n_b = rotate_inverse(s.orientation[b], c.normal);
    const double between = dot(c.normal, s.position[b] - s.position[a]);
    for (int i = 0; i < c.count; ++i) {
      ContactPoint& p = c.points[static_cast<std::size_t>(i)];
      p.separation = between + dot(n_b, p.local_b) - dot(n_a, p.local_a);
    }
  }
}

}  // namespace rigor
