#include "narrowphase/pair_memory.h"

#include <numeric>

namespace rigor {

namespace {

/// Part of the pairs that may have come since the memory was in their order. Chosen: putting it in order costs about as much as
/// two searches lose by a quarter that is not.
constexpr std::size_t kScattered = 4;

template <class T>
void put_in_order(std::vector<T>& of, const std::vector<std::uint32_t>& places, std::vector<T>& scratch) {
  scratch.resize(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) scratch[k] = of[places[k]];
  of.swap(scratch);
}

}  // namespace

void PairMemory::clear() {
  pool_.clear(), normals_.clear(), place_.clear(), free_.clear();
  scattered_ = 0;
}

std::uint32_t PairMemory::new_place() {
  if (free_.empty()) {
    pool_.emplace_back(), normals_.emplace_back();
    return static_cast<std::uint32_t>(pool_.size() - 1);
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  pool_[place] = {}, normals_[place] = {};
  return place;
}

void PairMemory::follow(std::span<const std::uint32_t> before) {
  next_.resize(before.size());
  std::size_t old = 0;
  const auto drop_until = [&](std::size_t end) {
    for (; old < end; ++old) free_.push_back(place_[old]);
  };
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (before[k] == kNew) {
      next_[k] = new_place();
      ++scattered_;
    } else {
      drop_until(before[k]);
      next_[k] = place_[old++];
    }
  }
  drop_until(place_.size());
  place_.swap(next_);
  if (scattered_ * kScattered > place_.size()) put_in_order();
}

void PairMemory::put_in_order() {
  rigor::put_in_order(pool_, place_, next_pool_);
  rigor::put_in_order(normals_, place_, next_normals_);
  std::iota(place_.begin(), place_.end(), 0U);
  free_.clear();
  scattered_ = 0;
}

void PairMemory::forget_caches() {
  for (const std::uint32_t place : place_) pool_[place].cache = {}, pool_[place].within = 0;
}

}  // namespace rigor
