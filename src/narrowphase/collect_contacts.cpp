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

/// Of points only those that the contact has.
void copy(const Contact& from, Contact& to) {
  static_assert(std::is_trivially_copyable_v<Contact> && std::is_standard_layout_v<Contact>);
  std::memcpy(&to, &from, offsetof(Contact, points) + static_cast<std::size_t>(from.count) * sizeof(ContactPoint));
}

constexpr std::size_t kAhead = 16;  // pairs whose contacts are fetched meanwhile; chosen

/// Asks for the lines of a contact of one point: most have no more.
template <int kWrite> void prefetch(const Contact& c) {
  constexpr std::size_t kLine = 64, kUsed = offsetof(Contact, points) + sizeof(ContactPoint);
  const char* from = reinterpret_cast<const char*>(&c);
  for (std::size_t at = 0; at < kUsed; at += kLine) __builtin_prefetch(from + at, kWrite);
}

}  // namespace

/// Everything but the points.
void ContactFinder::fill_contact(const World& world, const KeptPair& pair, const FoundContact& found,
                                 const Contact* match, Contact& c) const {
  const Known &a = known_[pair.a.index], &b = known_[pair.b.index];
  c.a = pair.a, c.b = pair.b;
  c.part_a = found.part_a, c.part_b = found.part_b;
  c.normal = found.normal;
  c.tangent = carried_tangent(match ? match->tangent : Vec3{}, found.normal);
  c.surface_velocity = {};
  c.count = static_cast<int>(found.points.size());
  c.directed = false, c.friction_across = 1;
  const Material &material_a = material_at(a.parts, materials_[a.material], found.part_a),
                 &material_b = material_at(b.parts, materials_[b.material], found.part_b);
  const bool turned = has_direction(material_a) || has_direction(material_b);
  combine_materials(world.material_rules(), material_a, material_b, turned ? world.orientation(c.a) : Quat{},
                    turned ? world.orientation(c.b) : Quat{}, c);
}

/// Where the contacts of a zone go. They stay in place while all contacts so far have done so.
void ContactFinder::place_contacts(const Zone& zone) {
  bool are_there = true;
  for (std::size_t k = zone.begin; k < zone.end; ++k) {
    const std::uint32_t first = first_contact_.back(), count = memory_[k].contacts;
    first_contact_.push_back(first + count);
    are_there =
        are_there && (count == 0 || (contacts_before(k).size() == count && old_first_contact_[before_[k]] == first));
  }
  has_moved_ = has_moved_ || !are_there;
  if (in_place_ && !are_there) move_contacts(first_contact_[zone.begin]);
  if (!in_place_ && contacts_.size() < first_contact_.back()) contacts_.resize(first_contact_.back());
}

/// Those that are not in place any more go to another list, and the first `done` of this search with them.
void ContactFinder::move_contacts(std::size_t done) {
  in_place_ = false;
  std::swap(contacts_, old_contacts_);
  contacts_.resize(old_contacts_.size());
  for (std::size_t k = 0; k < done; ++k) copy(old_contacts_[k], contacts_[k]);
}

/// Of pair k in the last search; of other bodies, if their indices were given to those of the pair.
std::span<const Contact> ContactFinder::contacts_before(std::size_t k) const {
  const std::uint32_t old = before_[k];
  if (old == PairMemory::kNew) return {};
  const std::uint32_t begin = old_first_contact_[old], end = old_first_contact_[old + 1];
  return std::span(in_place_ ? contacts_ : old_contacts_).subspan(begin, end - begin);
}

void ContactFinder::collect(const World& world, const ThreadPool& threads, const Zone& zone) {
  threads.for_range(
      zone.chunks(), 1,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) collect_chunk(world, zone.chunk(k), chunks_[k]);
      },
      kFewPairs / kPairsPerChunk);
}

void ContactFinder::collect_chunk(const World& world, const Zone& pairs, const Chunk& chunk) {
  thread_local std::vector<Contact> copies;
  std::span<const FoundManifold> manifolds = chunk.manifolds;
  for (std::size_t k = pairs.begin; k < pairs.end; ++k) {
    if (k + kAhead < pairs.end) fetch_contacts(k + kAhead);
    if (first_contact_[k] == first_contact_[k + 1]) continue;
    KeptPair& pair = memory_[k];
    Contact& c = contacts_[first_contact_[k]];
    std::span<const Contact> before = contacts_before(k);
    if (pair.is_kept) {
      if (!in_place_) copy(before.front(), c);
      turn_kept(k, c);
      continue;
    }
    if (!before.empty() && (before.front().a != pair.a || before.front().b != pair.b)) before = {};
    if (in_place_) {  // they are about to be written
      copies.resize(before.size());
      for (std::size_t i = 0; i < before.size(); ++i) copy(before[i], copies[i]);
      before = copies;
    }
    collect_computed(world, pair, manifolds.first(pair.contacts), chunk.points.data(), before, &c);
    manifolds = manifolds.subspan(pair.contacts);
  }
}

void ContactFinder::fetch_contacts(std::size_t k) const {
  if (first_contact_[k] == first_contact_[k + 1]) return;
  prefetch<1>(contacts_[first_contact_[k]]);
  if (const std::span<const Contact> before = contacts_before(k); !before.empty()) prefetch<0>(before.front());
}

void ContactFinder::turn_kept(std::size_t k, Contact& c) {
  KeptPair& pair = memory_[k];
  c.normal = rotate(frames_[pair.a.index].rotation, memory_.normal(k));
  c.tangent = carried_tangent(c.tangent, c.normal);
  if (!std::exchange(pair.is_new, false)) return;
  for (int i = 0; i < c.count; ++i) c.points[static_cast<std::size_t>(i)].persisted = true;
}

void ContactFinder::collect_computed(const World& world, KeptPair& pair, std::span<const FoundManifold> found,
                                     const ManifoldPoint* points, std::span<const Contact> old, Contact* to) const {
  const OldContacts candidates(old);
  bool is_directed = false;
  for (const FoundManifold& m : found) {
    const FoundContact now{m.part_a,
                           m.part_b,
                           rotate(frames_[pair.a.index].rotation, m.normal),
                           {points + m.first_point, static_cast<std::size_t>(m.count)}};
    const Contact* match = candidates.match(now);
    Contact& c = *to++;
    fill_contact(world, pair, now, match, c);
    write_points(match, now.points, c);
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
