// The first stage of a step: broad phase, filters, narrow phase, and matching with the contacts of the last step.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "broadphase/broadphase.h"
#include "narrowphase/narrowphase.h"
#include "narrowphase/pair_memory.h"
#include "rigor/contacts.h"
#include "rigor/world.h"
#include "threads/parallel.h"

namespace rigor {

class ByteReader;
class ByteWriter;
class PartIndex;
struct FoundContact;

/// Finds contacts and caches data for the next search: pair caches, and the contacts themselves.
///
/// A contact of two polyhedra may be kept instead of computed: as long as the smaller body has moved by less than a given
/// distance in the frame of the other one, the points stay where they are on the bodies and only the normal turns with body a.
/// So may the finding that two bodies do not meet, of any shapes. Kept pairs cost no narrow phase and no matching.
class ContactFinder {
 public:
  /// Replaces the contacts by those of the world's present state. Points up to `envelope` metres apart are found. Contacts are
  /// kept while bodies have moved against each other by less than `keep_within` metres; the separations of kept contacts are
  /// those of the time when they were computed. With `ahead` (s), points that reach a plane within that time are found, too: a
  /// plane has the same normal everywhere, so that such a contact is exact. So are points of two bodies on joints that would
  /// otherwise overlap by more than a quarter of the thinner one by then: a link that has gone half through another one leaves it
  /// on the side that is nearest, where its joints may not let it go. The same holds for a free body and a fixed one that moves.
  void find(const World& world, Broadphase& broadphase, const Narrowphase& narrowphase, double envelope,
            const ThreadPool& threads, double keep_within = 0, double ahead = 0);

  const ContactList& contacts() const { return contacts_; }
  ContactList& contacts() { return contacts_; }
  /// Gives every contact what the materials say, also the kept ones, and calls change(contact) for each, in their order. For contact modifiers.
  template <class Change> void modify(const World& world, const Change& change) {
    for (Contact& c : contacts_) {
      combine_surfaces(world, c);
      change(c);
    }
  }
  /// Drops the caches of narrow phases; contacts and their impulses stay.
  void forget_pairs() { memory_.forget_caches(); }
  /// The number of pairs whose contacts were reused in the last search.
  std::size_t kept_count() const { return memory_.size() - computed_; }

  /// For snapshots. What is only looked at (points of contacts that will not be kept, separations) is in single precision.
  void save(const World& world, ByteWriter& out) const;
  void restore(const World& world, ByteReader& in);

 private:
  /// A manifold of the present search. Its points are in the frames of the two bodies, the normal in that of shape a.
  struct FoundManifold {
    std::uint32_t pair, part_a, part_b, first_point;
    int count;
    Vec3 normal;
  };
  /// What was found in kPairsPerChunk pairs in a row.
  struct Chunk {
    std::vector<FoundManifold> manifolds;
    std::vector<ManifoldPoint> points;
    std::size_t computed = 0;  // pairs
  };
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  /// What the search has to know of a body, by id index.
  struct Known {
    const Shape* shape = nullptr;
    const PartIndex* parts = nullptr;   // of composites
    std::uint32_t material = kUnknown;  // in materials_
    std::uint32_t slot = 0, generation = 0;
    std::uint32_t shape_changes = kUnknown;  // of the world, when the body was last seen
    bool is_reshaped = false;                // it has got another shape since then
    double reach = 0;                        // m, how far it may move in the time ahead
    bool is_joined = false;                  // its joints close loops
  };
  /// What a body's frame and bounds were computed from.
  struct Seen {
    Transform pose, shape_frame;
    const Shape* shape = nullptr;
    std::uint32_t shape_changes = 0;
    bool operator==(const Seen&) const = default;
  };

  /// Pairs in a row, [begin, end). All that is done with those of a zone is done before the next one: what is worked out for a
  /// pair has been read again before it leaves the caches.
  struct Zone {
    std::size_t begin, end;
    std::size_t chunks() const { return (end - begin + kPairsPerChunk - 1) / kPairsPerChunk; }
    Zone chunk(std::size_t k) const {
      return {begin + k * kPairsPerChunk, std::min(begin + (k + 1) * kPairsPerChunk, end)};
    }
  };

  /// In the contacts of the last search.
  struct ContactRange {
    std::uint32_t begin, end;
    std::uint32_t size() const { return end - begin; }
  };

  static constexpr std::size_t kPairsPerChunk = 256, kFewPairs = 4096;  // few are for one thread alone
  static constexpr std::size_t kPairsPerZone = 8 * kPairsPerChunk;      // and thread
  void forget();
  void forget_contacts();
  static std::size_t zone_size(int threads);
  void update_bounds(const World& world, double envelope, const ThreadPool& threads, double ahead);
  void find_joined(const World& world);
  double joined_reach(const BodyState& state, const ProxyPair& pair, double ahead) const;
  void share_materials(const World& world);
  void filter_pairs(const World& world);
  void match_pairs(const World& world);
  void match_ids(std::size_t k, bool same_definitions);
  /// How far to look for points: m apart, and s ahead.
  struct Range {
    double envelope = 0, ahead = 0;
  };
  void compute(const World& world, const Narrowphase& narrowphase, const Range& range, double keep_within,
               const ThreadPool& threads, const Zone& zone, bool few);
  void compute_chunk(const World& world, const Narrowphase& narrowphase, const Range& range, double keep_within,
                     const Zone& pairs, Chunk& chunk);
  void fetch(const World& world, std::size_t k) const;
  bool may_keep(const BodyState& state, const ProxyPair& pair) const;
  bool still_holds(const KeptPair& pair, double keep_within) const;
  void prepare_task(const BodyState& state, const ProxyPair& pair, const KeptPair& kept, const Range& range,
                    PairTask& task) const;
  void take_manifolds(const World& world, std::size_t k, const PairTask& task, double keep_within, Chunk& chunk);
  void place_contacts(const Zone& zone);
  void collect(const World& world, const ThreadPool& threads, const Zone& zone);
  void collect_chunk(const World& world, const Zone& pairs, const Chunk& chunk);
  ContactRange contacts_before(std::size_t k) const;
  std::span<const Contact> old_contacts(std::size_t k) const;
  void collect_computed(const World& world, std::size_t k, std::span<const FoundManifold> found,
                        const ManifoldPoint* points);
  void fetch_contacts(std::size_t k);
  void turn_kept(std::size_t k, Contact& c);
  static void remember(const PairTask& task, double keep_within, KeptPair& pair);
  void combine_surfaces(const World& world, Contact& c) const;
  bool is_reshaped(const World& world, BodyId id) const;
  void fill_contact(const World& world, const KeptPair& pair, const FoundContact& found, const Contact* match,
                    Contact& c) const;
  bool is_current(const World& world) const;
  void restore_pairs(ByteReader& in);
  void place_restored();
  void drop_unmatched();

  std::vector<ProxyBounds> bounds_;  // by id index
  std::vector<Transform> frames_;    // by id index: collision shape in the world
  std::vector<Seen> seen_;           // by id index
  std::vector<Known> known_;         // by id index
  std::vector<Material> materials_;  // of bodies, each once or nearly so
  double envelope_ = 0;              // m, that the bounds were widened by
  std::vector<ProxyPair> pairs_, last_pairs_;
  PairMemory memory_;                  // by pair, of last_pairs_
  std::vector<std::uint32_t> before_;  // by pair: where it is in the search before, or PairMemory::kNew
  std::vector<Chunk> chunks_;          // of a zone
  std::size_t computed_ = 0;           // pairs, in the last search
  // By pair, in contacts_, and one more than pairs; of the search before by its pairs.
  std::vector<std::uint32_t> first_contact_, old_first_contact_;
  ContactList contacts_;
  bool is_complete_ = false;       // the last search: contacts, pairs and pair caches belong together
  bool is_restored_ = false;       // since the last search: ids may be those of bodies that are gone
  std::uint64_t epoch_ = 0;        // of the world that the memory is about
  std::uint64_t definitions_ = 0;  // version of the definitions that the contacts belong to
};

/// Separations at the present poses, of contacts that may have been kept.
void measure_separations(ContactList& contacts, const World& world);

}  // namespace rigor
