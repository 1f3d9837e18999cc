// The second half of a search for contacts: manifolds become contacts, matched with those of the last search; contacts that are
// kept turn along with their bodies.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "model/shape_index.h"
#include "narrowphase/combine_materials.h"
#include "narrowphase/find_contacts.h"
#include "narrowphase/match_contacts.h"

namespace rigor {

namespace {

/// Of parts of composites it is their own, if they have one.
const Material& material_at(const PartIndex* parts, const Material& whole, std::uint32_t part) {
  const Material* own = parts ? parts->material_of(part) : nullptr;
  return own ? *own : whole;
}

ProxyPair index_pair(const Contact& c) { return {c.a.index, c.b.index}; }

/// Of points only those that the contact has.
void copy(const Contact& from, Contact& to) {
  static_assert(std::is_trivially_copyable_v<Contact> && std::is_standard_layout_v<Contact>);
  std::memcpy(&to, &from, offsetof(Contact, points) + static_cast<std::size_t>(from.count) * sizeof(ContactPoint));
}

}  // namespace

/// Everything but what is carried over from the last step. Points that the manifold does not have stay as they are.
void ContactFinder::fill_contact(const World& world, const KeptPair& pair, const FoundManifold& m,
                                 const ManifoldPoint* points, Contact& c) const {
  const Known &a = known_[pair.a.index], &b = known_[pair.b.index];
  c.a = pair.a, c.b = pair.b;
  c.part_a = m.part_a, c.part_b = m.part_b;
  c.normal = rotate(frames_[pair.a.index].rotation, m.normal);
  c.count = m.count;
  c.tangent = c.surface_velocity = {};
  c.directed = false, c.friction_across = 1;
  const Material &material_a = material_at(a.parts, materials_[a.material], c.part_a),
                 &material_b = material_at(b.parts, materials_[b.material], c.part_b);
  const bool turned = has_direction(material_a) || has_direction(material_b);
  combine_materials(world.material_rules(), material_a, material_b, turned ? world.orientation(c.a) : Quat{},
                    turned ? world.orientation(c.b) : Quat{}, c);
  for (int k = 0; k < m.count; ++k) {
    const ManifoldPoint& from = points[k];
    ContactPoint& to = c.points[static_cast<std::size_t>(k)];
    to = {};
    to.local_a = from.on_a, to.local_b = from.on_b;
    to.separation = from.separation;
    to.key = from.key;
  }
}

/// Whether every contact is where it was.
bool ContactFinder::place_contacts() {
  old_first_contact_.swap(first_contact_);
  first_contact_.resize(pairs_.size() + 1);
  first_contact_[0] = 0;
  for (std::size_t k = 0; k < pairs_.size(); ++k) first_contact_[k + 1] = first_contact_[k] + kept_[k].contacts;
  return first_contact_ == old_first_contact_ && contacts_.size() == first_contact_.back();
}

void ContactFinder::collect(const World& world, const ThreadPool& threads) {
  const bool in_place = place_contacts();
  if (!in_place) {
    std::swap(contacts_, old_contacts_);
    contacts_.resize(first_contact_.back());
  }
  threads.for_range(
      chunks_.size(), 1,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          const std::size_t first = k * kPairsPerChunk;
          collect_chunk(world, chunks_[k], first, std::min(first + kPairsPerChunk, pairs_.size()), in_place);
        }
      },
      kFewPairs / kPairsPerChunk);
}

void ContactFinder::collect_chunk(const World& world, const Chunk& chunk, std::size_t begin, std::size_t end,
                                  bool in_place) {
  thread_local std::vector<Contact> copies;
  const ContactList& list = in_place ? contacts_ : old_contacts_;
  const auto first = in_place
                         ? list.begin() + first_contact_[begin]
                         : std::lower_bound(list.begin(), list.end(), pairs_[begin],
                                            [](const Contact& c, const ProxyPair& p) { return index_pair(c) < p; });
  auto old = static_cast<std::size_t>(first - list.begin()), old_end = old;  // of the present pair
  std::span<const FoundManifold> manifolds = chunk.manifolds;
  for (std::size_t k = begin; k < end; ++k) {
    KeptPair& pair = kept_[k];
    if (pair.contacts == 0) continue;
    if (in_place) {  // beyond them others are writing
      old = first_contact_[k], old_end = first_contact_[k + 1];
    } else {
      for (old = old_end; old < list.size() && index_pair(list[old]) < pairs_[k];) ++old;
      for (old_end = old; old_end < list.size() && index_pair(list[old_end]) == pairs_[k];) ++old_end;
    }
    Contact& c = contacts_[first_contact_[k]];
    if (pair.is_kept) {
      if (!in_place) copy(list[old], c);
      turn_kept(pair, c);
      continue;
    }
    const bool same_bodies = old < old_end && list[old].a == pair.a && list[old].b == pair.b;
    std::span<const Contact> before;
    if (same_bodies) before = std::span<const Contact>(list).subspan(old, old_end - old);
    if (in_place) {  // they are about to be written
      copies.assign(before.begin(), before.end());
      before = copies;
    }
    collect_computed(world, pair, manifolds.first(pair.contacts), chunk.points.data(), before, &c);
    manifolds = manifolds.subspan(pair.contacts);
  }
}

void ContactFinder::turn_kept(KeptPair& pair, Contact& c) const {
  c.normal = rotate(frames_[pair.a.index].rotation, pair.normal);
  c.tangent = carried_tangent(c.tangent, c.normal);
  if (!std::exchange(pair.is_new, false)) return;
  for (int i = 0; i < c.count; ++i) c.points[static_cast<std::size_t>(i)].persisted = true;
}

void ContactFinder::collect_computed(const World& world, KeptPair& pair, std::span<const FoundManifold> found,
                                     const ManifoldPoint* points, std::span<const Contact> old, Contact* to) const {
  const OldContacts candidates(old);
  bool is_directed = false;
  for (const FoundManifold& m : found) {
    Contact& c = *to++;
    fill_contact(world, pair, m, points + m.first_point, c);
    const Contact* match = candidates.match(c);
    if (match) carry_impulses(*match, c);
    if (!c.directed) c.tangent = carried_tangent(match ? match->tangent : Vec3{}, c.normal);
    is_directed = is_directed || c.directed || c.surface_velocity != Vec3{};
  }
  if (is_directed) pair.within = 0;  // its tangent turns with the materials
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
