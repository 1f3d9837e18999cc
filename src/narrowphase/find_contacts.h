// The first stage of a step: broad phase, filters, narrow phase, and matching with the contacts of the last step.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "broadphase/broadphase.h"
#include "narrowphase/contact_pairs.h"
#include "narrowphase/contact_proxies.h"
#include "narrowphase/manifold.h"
#include "narrowphase/narrowphase.h"
#include "rigor/contacts.h"
#include "rigor/world.h"
#include "threads/parallel.h"

namespace rigor {

class ByteReader;
class ByteWriter;

// Contacts found again: what the last step knew about them is carried over.

/// A contact of the present search that is not written yet: what was written just now would have to be waited for.
struct FoundContact {
  std::uint32_t part_a, part_b;
  Vec3 normal;  // world
  std::span<const ManifoldPoint> points;
};

/// The contacts of one pair of bodies in the last step. Composites may have thousands of them: of more than kFew, only those that
/// have a part in common with the new one are compared, or both parts, where one of them has many contacts.
class OldContacts {
 public:
  explicit OldContacts(std::span<const Contact> contacts);
  /// The most similar one; null when none points the same way.
  const Contact* match(const FoundContact& now) const;

 private:
  static constexpr std::size_t kFew = 64;

  std::span<const Contact> contacts_;
  std::vector<std::reference_wrapper<const Contact>> by_a_, by_b_;  // of more than kFew, sorted by parts
};

/// Writes the points of a contact, with the impulses of those old ones that are found again. `old` may be null.
void write_points(const Contact* old, std::span<const ManifoldPoint> found, Contact& now);

/// The old tangent laid into the new tangent plane, or a fresh one.
inline Vec3 carried_tangent(const Vec3& old, const Vec3& normal) {
  const Vec3 projected = old - dot(old, normal) * normal;
  if (length_squared(projected) > 0.25) return normalized(projected);
  Vec3 t1, t2;
  tangents(normal, t1, t2);
  return t1;
}

/// Finds contacts and caches data for the next search: ContactProxies has the bodies, ContactPairs the pairs and their caches; this class
/// computes manifolds and makes contacts of them.
class ContactFinder {
 public:
  /// Replaces the contacts by those of the world's present state. Points up to `envelope` metres apart are found. Contacts are
  /// reused while bodies have moved against each other by less than `keep_within` metres; the separations of reused contacts are
  /// those of the time when they were computed. With `ahead` (s), points that reach a plane within that time are found, too: a
  /// plane has the same normal everywhere, so that such a contact is exact. So are points of two bodies on joints that would
  /// otherwise overlap by more than a quarter of the thinner one by then: a link that has gone half through another one leaves it
  /// on the side that is nearest, where its joints may not let it go.
  void find(const World& world, Broadphase& broadphase, const Narrowphase& narrowphase, double envelope,
            const ThreadPool& threads, double keep_within = 0, double ahead = 0);

  const ContactList& contacts() const { return contacts_; }
  ContactList& contacts() { return contacts_; }
  /// Resets friction, restitution and surface velocity of all contacts, also of reused ones, to those of the materials, and calls
  /// change(contact) for each in their order. For contact modifiers.
  template <class Change> void modify(const World& world, const Change& change) {
    for (Contact& c : contacts_) {
      proxies_.combine_surfaces(world, c);
      change(c);
    }
  }
  /// Drops the caches of narrow phases; contacts and their impulses stay.
  void forget_pairs() { pairs_.forget_caches(); }
  /// The number of pairs whose contacts were reused in the last search.
  std::size_t kept_count() const { return pairs_.size() - computed_; }

  /// For snapshots. Data that does not influence the next step (points of contacts that will not be reused, separations) is in single
  /// precision.
  void save(const World& world, ByteWriter& out) const;
  void restore(const World& world, ByteReader& in);

 private:
  /// A manifold of the present search. Its points are in the frames of the two bodies, the normal in that of shape a.
  struct FoundManifold {
    std::uint32_t pair, part_a, part_b, first_point;
    int count;
    Vec3 normal;
  };
  /// The manifolds of kPairsPerChunk consecutive pairs.
  struct Chunk {
    std::vector<FoundManifold> manifolds;
    std::vector<ManifoldPoint> points;
    std::size_t computed = 0;  // pairs
  };
  /// Consecutive pairs, [begin, end). A batch is finished before the next one begins: results of a pair are read again before
  /// they leave the processor's caches.
  struct PairBatch {
    std::size_t begin, end;
    std::size_t chunks() const { return (end - begin + kPairsPerChunk - 1) / kPairsPerChunk; }
    PairBatch chunk(std::size_t k) const {
      return {begin + k * kPairsPerChunk, std::min(begin + (k + 1) * kPairsPerChunk, end)};
    }
  };
  /// A range of the contacts of the last search.
  struct ContactRange {
    std::uint32_t begin, end;
    std::uint32_t size() const { return end - begin; }
  };
  /// The arguments of one search.
  struct Search {
    const World& world;
    const Narrowphase& narrowphase;
    const ThreadPool& threads;
    SearchRange range;
    double keep_within;  // m
    bool few;            // true if the last search computed few pairs
  };

  static constexpr std::size_t kPairsPerChunk = 256, kFewPairs = 4096;  // fewer run on one thread
  static constexpr std::size_t kPairsPerBatch = 8 * kPairsPerChunk;     // per thread
  static std::size_t batch_size(int threads);
  void forget();
  void forget_contacts();
  bool is_current(const World& world) const { return definitions_ == world.definitions_version(); }

  // These compute the manifolds of pairs whose contacts are not reused.
  void compute(const Search& search, const PairBatch& batch);
  void compute_chunk(const Search& search, const PairBatch& pairs, Chunk& chunk);
  void fetch(const World& world, std::size_t k) const;
  void prepare_task(const Search& search, std::size_t k, PairTask& task) const;
  void take_manifolds(const Search& search, std::size_t k, const PairTask& task, Chunk& chunk);
  // These write the contacts of all pairs.
  void place_contacts(const PairBatch& batch);
  void collect(const Search& search, const PairBatch& batch);
  void collect_chunk(const World& world, const PairBatch& pairs, const Chunk& chunk);
  void collect_computed(const World& world, std::size_t k, std::span<const FoundManifold> found,
                        const ManifoldPoint* points);
  void turn_reused(std::size_t k, Contact& c);
  ContactRange contacts_before(std::size_t k) const;
  std::span<const Contact> old_contacts(std::size_t k) const;
  void fetch_contacts(std::size_t k);
  // These are for snapshots.
  void place_restored();
  void drop_unmatched();

  ContactProxies proxies_;
  ContactPairs pairs_;
  std::vector<Chunk> chunks_;  // of a batch
  std::size_t computed_ = 0;   // pairs, in the last search
  // Index of the first contact by pair, and the number of contacts at the end; the same for the search before.
  std::vector<std::uint32_t> first_contact_, old_first_contact_;
  ContactList contacts_;
  bool is_complete_ =
      false;  // false if the last search did not finish: contacts, pairs and caches do not belong together
  std::uint64_t epoch_ = 0;        // of the world that the caches belong to
  std::uint64_t definitions_ = 0;  // version of the definitions that the contacts belong to
};

/// Updates the separations of contacts that may have been reused to the present poses.
void measure_separations(ContactList& contacts, const World& world);

}  // namespace rigor
