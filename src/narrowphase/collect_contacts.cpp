// The second half of a search for contacts: manifolds become contacts, matched with those of the last search; contacts that are
// kept turn along with their bodies.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "math/prefetch.h"
#include "model/shape_index.h"
#include "narrowphase/combine_materials.h"
#include "narrowphase/find_contacts.h"
#include "narrowphase/match_contacts.h"

namespace rigor {

namespace {

/// The material of a part of a composite, if it has one, else that of the whole body.
const Material& material_at(const PartIndex* parts, const Material& whole, std::uint32_t part) {
  const Material* own = parts ? parts->material_of(part) : nullptr;
  return own ? *own : whole;
}

constexpr std::size_t kAhead = 16;  // pairs whose contacts are fetched meanwhile; chosen

}  // namespace

/// Everything but the points.
void ContactFinder::fill_contact(const World& world, const KeptPair& pair, const FoundContact& found,
                                 const Contact* match, Contact& c) const {
  c.a = pair.a, c.b = pair.b;
  c.part_a = found.part_a, c.part_b = found.part_b;
  c.normal = found.normal;
  c.tangent = carried_tangent(match ? match->tangent : Vec3{}, found.normal);
  c.count = static_cast<int>(found.points.size());
  combine_surfaces(world, c);
}

/// How the surfaces of a contact rub and bounce, by the materials.
void ContactFinder::combine_surfaces(const World& world, Contact& c) const {
  const Known &a = known_[c.a.index], &b = known_[c.b.index];
  c.disabled = false;
  const Material &material_a = material_at(a.parts, materials_[a.material], c.part_a),
                 &material_b = material_at(b.parts, materials_[b.material], c.part_b);
  const bool turned = has_direction(material_a) || has_direction(material_b);
  combine_materials(world.material_rules(), material_a, material_b, turned ? world.orientation(c.a) : Quat{},
                    turned ? world.orientation(c.b) : Quat{}, c);
}

/// Assigns slots to the contacts of a zone: those of the same pair in the last search, as far as there were as many.
void ContactFinder::place_contacts(const Zone& zone) {
  for (std::size_t k = zone.begin; k < zone.end; ++k) {
    const std::uint32_t count = memory_[k].contacts;
    const ContactRange before = contacts_before(k);
    for (std::uint32_t i = 0; i < count; ++i)
      contacts_.append_next(i < before.size() ? before.begin + i : ContactList::kNew);
    first_contact_.push_back(first_contact_.back() + count);
  }
}

/// The contacts of pair k in the last search. They belong to other bodies if the pair's indices were reused.
ContactFinder::ContactRange ContactFinder::contacts_before(std::size_t k) const {
  const std::uint32_t old = before_[k];
  if (old == PairMemory::kNew) return {0, 0};
  return {old_first_contact_[old], old_first_contact_[old + 1]};
}

/// Copies, since new contacts take the places of the old ones.
std::span<const Contact> ContactFinder::old_contacts(std::size_t k) const {
  thread_local std::vector<Contact> copies;
  const ContactRange before = contacts_before(k);
  const KeptPair& pair = memory_[k];
  if (before.size() == 0 || contacts_[before.begin].a != pair.a || contacts_[before.begin].b != pair.b) return {};
  if (copies.size() < before.size()) copies.resize(before.size());
  for (std::uint32_t i = 0; i < before.size(); ++i) copy(contacts_[before.begin + i], copies[i]);
  return {copies.data(), before.size()};
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
  std::span<const FoundManifold> manifolds = chunk.manifolds;
  for (std::size_t k = pairs.begin; k < pairs.end; ++k) {
    if (k + kAhead < pairs.end) fetch_contacts(k + kAhead);
    if (first_contact_[k] == first_contact_[k + 1]) continue;
    if (memory_[k].is_kept) {
      turn_kept(k, contacts_.next(first_contact_[k]));
      continue;
    }
    const std::size_t count = memory_[k].contacts;
    collect_computed(world, k, manifolds.first(count), chunk.points.data());
    manifolds = manifolds.subspan(count);
  }
}

/// Prefetches the first contact with its first point: most contacts have one point.
void ContactFinder::fetch_contacts(std::size_t k) {
  if (first_contact_[k] < first_contact_[k + 1])
    prefetch(&contacts_.next(first_contact_[k]), offsetof(Contact, points) + sizeof(ContactPoint));
}

void ContactFinder::turn_kept(std::size_t k, Contact& c) {
  KeptPair& pair = memory_[k];
  c.normal = rotate(frames_[pair.a.index].rotation, memory_.normal(k));
  c.tangent = carried_tangent(c.tangent, c.normal);
  if (!std::exchange(pair.is_new, false)) return;
  for (int i = 0; i < c.count; ++i) c.points[static_cast<std::size_t>(i)].persisted = true;
}

void ContactFinder::collect_computed(const World& world, std::size_t k, std::span<const FoundManifold> found,
                                     const ManifoldPoint* points) {
  KeptPair& pair = memory_[k];
  const OldContacts candidates(old_contacts(k));
  std::size_t to = first_contact_[k];
  bool is_directed = false;
  for (const FoundManifold& m : found) {
    const FoundContact now{m.part_a,
                           m.part_b,
                           rotate(frames_[pair.a.index].rotation, m.normal),
                           {points + m.first_point, static_cast<std::size_t>(m.count)}};
    const Contact* match = candidates.match(now);
    Contact& c = contacts_.next(to++);
    fill_contact(world, pair, now, match, c);
    write_points(match, now.points, c);
    is_directed = is_directed || c.directed || (!c.is_plain && c.surface_velocity != Vec3{});
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
