// The cache of a search for contacts: pairs of bodies and their data for the next search.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/prefetch.h"
#include "narrowphase/manifold.h"
#include "rigor/ids.h"

namespace rigor {

/// The cache of one pair. It holds full ids, since an index may belong to another body by now. Pairs whose contacts are computed in every
/// search need only the first cache line.
struct alignas(64) KeptPair {
  BodyId a, b;
  PairCache cache;
  double within = 0;           // m, how far the smaller shape may move; 0: the contact is computed in every search
  std::uint32_t contacts = 0;  // of the pair in the last search
  bool a_is_smaller = false, is_new = false;
  bool is_kept = false;  // in the present search
  // While the contact may be kept.
  Transform pose;    // when it was computed: of the smaller shape in the frame of the other one
  double reach = 0;  // m, from the smaller shape's origin to its farthest point
};
static_assert(sizeof(KeptPair) == 128);

/// The caches of all pairs of a search, in their order. An entry keeps its slot in memory as long as its pair exists: in a
/// large heap some pair begins or ends in every step, and moving all others would cost more than most of the search.
class PairMemory {
 public:
  static constexpr std::uint32_t kNew = 0xffffffff;

  std::size_t size() const { return place_.size(); }
  KeptPair& operator[](std::size_t k) { return pool_[place_[k]]; }
  const KeptPair& operator[](std::size_t k) const { return pool_[place_[k]]; }
  /// The normal of a pair whose contact may be reused, frame of shape a. Stored separately, because most of these pairs do not touch.
  Vec3& normal(std::size_t k) { return normals_[place_[k]]; }
  const Vec3& normal(std::size_t k) const { return normals_[place_[k]]; }

  /// Prefetches pair k.
  void fetch(std::size_t k) const { prefetch(&pool_[place_[k]], sizeof(KeptPair)); }

  void clear();
  /// One more pair at the end, of which nothing is known.
  void add() { place_.push_back(new_place()); }
  /// Brings it into the order of the next search: before[k] is where pair k was, ascending, or kNew. Nothing is known of new
  /// pairs; those that are not in `before` are forgotten.
  void follow(std::span<const std::uint32_t> before);
  /// The same pairs, nothing known but how many contacts they have.
  void forget_caches();

 private:
  std::uint32_t new_place();
  void put_in_order();

  std::vector<KeptPair> pool_, next_pool_;    // scratch
  std::vector<Vec3> normals_, next_normals_;  // as the pool
  std::size_t scattered_ = 0;                 // pairs that have come since the pool was in order
  std::vector<std::uint32_t> place_, next_;   // by pair, in the pool; scratch
  std::vector<std::uint32_t> free_;           // places; the last one is used next
};

}  // namespace rigor
