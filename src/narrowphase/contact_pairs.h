// The cache of a search for contacts: pairs of bodies and their data for the next search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/prefetch.h"
#include "narrowphase/contact_proxies.h"
#include "narrowphase/manifold.h"
#include "narrowphase/narrowphase.h"
#include "rigor/ids.h"

namespace rigor {

/// The cache of one pair. It holds full ids, since an index may belong to another body by now. Pairs whose contacts are computed in every
/// search need only the first cache line.
struct alignas(64) CachedPair {
  BodyId a, b;
  PairCache cache;
  double within = 0;           // m, how far the smaller shape may move; 0: the contact is computed in every search
  std::uint32_t contacts = 0;  // of the pair in the last search
  bool a_is_smaller = false, is_new = false;
  bool is_reused = false;  // in the present search
  // Valid while the contact may be reused.
  Transform pose;    // of the smaller shape in the frame of the other one, when the contact was computed
  double reach = 0;  // m, from the smaller shape's origin to its farthest point
};
static_assert(sizeof(CachedPair) == 128);

/// The caches of all pairs of a search, in their order. An entry keeps its slot in memory as long as its pair exists: in a
/// large heap some pair begins or ends in every step, and moving all others would cost more than most of the search.
class PairPool {
 public:
  static constexpr std::uint32_t kNew = 0xffffffff;

  std::size_t size() const { return slot_of_.size(); }
  CachedPair& operator[](std::size_t k) { return pool_[slot_of_[k]]; }
  const CachedPair& operator[](std::size_t k) const { return pool_[slot_of_[k]]; }
  /// The normal of a pair whose contact may be reused, frame of shape a. Stored separately, because most of these pairs do not touch.
  Vec3& normal(std::size_t k) { return normals_[slot_of_[k]]; }
  const Vec3& normal(std::size_t k) const { return normals_[slot_of_[k]]; }

  /// Prefetches pair k.
  void fetch(std::size_t k) const { prefetch(&pool_[slot_of_[k]], sizeof(CachedPair)); }

  void clear();
  /// Appends a pair with an empty cache.
  void add() { slot_of_.push_back(new_slot()); }
  /// Sorts the pool into the order of the next search: before[k] is the former index of pair k, ascending, or kNew. New pairs have empty
  /// caches; pairs that are not in `before` are dropped.
  void follow(std::span<const std::uint32_t> before);
  /// Empties the caches of all pairs, except their numbers of contacts.
  void forget_caches();

 private:
  std::uint32_t new_slot();
  void put_in_order();

  std::vector<CachedPair> pool_;               // by slot
  std::vector<Vec3> normals_;                  // by slot
  std::size_t scattered_ = 0;                  // pairs added since the pool was last sorted
  std::vector<std::uint32_t> slot_of_, next_;  // by pair, in the pool; scratch
  std::vector<std::uint32_t> free_;            // slots; the last one is used next
};

class ByteReader;
class ByteWriter;

/// The pairs of a search in ascending order, each with its cache.
///
/// The contact of two polyhedra may be reused instead of computed: as long as the smaller body has moved by less than a given
/// distance in the frame of the other one, the points stay where they are on the bodies and only the normal turns with body a.
/// So may the result that two bodies do not meet, of any shapes. Reused pairs cost no narrow phase and no matching.
class ContactPairs {
 public:
  static constexpr std::uint32_t kNew = PairPool::kNew;

  /// The pairs of the broad phase. Call match() after they have changed.
  std::vector<ProxyPair>& found() { return found_; }
  const std::vector<ProxyPair>& found() const { return found_; }
  /// Brings the caches into the order of the pairs. Drops the caches of bodies that were removed and of shapes that have changed.
  void match(const ContactProxies& proxies, bool same_definitions);
  /// The index of pair k in the search before, or kNew.
  std::uint32_t before(std::size_t k) const { return before_[k]; }
  void clear();
  /// Drops everything but the pairs.
  void forget_caches() { pool_.forget_caches(); }

  std::size_t size() const { return pool_.size(); }
  CachedPair& operator[](std::size_t k) { return pool_[k]; }
  const CachedPair& operator[](std::size_t k) const { return pool_[k]; }
  Vec3& normal(std::size_t k) { return pool_.normal(k); }
  void fetch(std::size_t k) const { pool_.fetch(k); }

  /// True if the contact of pair k can be reused; bodies may have moved against each other by `within` metres.
  bool may_reuse(std::size_t k, const ContactProxies& proxies, const BodyState& state, double within) const;
  /// Stores where the pair was when its contact was computed, if it may be reused.
  static void store_pose(const PairTask& task, double within, CachedPair& pair);

  // For snapshots. `current`: shapes and materials are those of the last search.
  void save(const World& world, const ContactProxies& proxies, bool current, ByteWriter& out) const;
  void restore(ByteReader& in);
  /// Makes `all`, which contains the restored pairs, the pairs of the last search; nothing is cached for the others.
  void extend(std::vector<ProxyPair> all);
  const std::vector<ProxyPair>& last() const { return last_; }

 private:
  void match_ids(std::size_t k, const ContactProxies& proxies, bool same_definitions);

  std::vector<ProxyPair> found_, last_;
  PairPool pool_;                      // by pair, of last_
  std::vector<std::uint32_t> before_;  // by pair
  bool is_restored_ = false;           // since the last search: ids may belong to removed bodies
};

}  // namespace rigor
