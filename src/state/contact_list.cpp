#include <cstddef>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "rigor/contacts.h"

namespace rigor {

namespace {

/// 1 / the fraction of contacts that may be out of order before the pool is sorted; chosen.
constexpr std::size_t kScattered = 4;

}  // namespace

void copy(const Contact& from, Contact& to) {
  static_assert(std::is_trivially_copyable_v<Contact> && std::is_standard_layout_v<Contact>);
  constexpr std::size_t kAfterPoints = offsetof(Contact, rolling_friction);
  const bool both_plain = from.is_plain && to.is_plain;
  std::memcpy(&to, &from, offsetof(Contact, points) + static_cast<std::size_t>(from.count) * sizeof(ContactPoint));
  if (both_plain) return;
  const auto* begin = reinterpret_cast<const char*>(&from);
  std::memcpy(reinterpret_cast<char*>(&to) + kAfterPoints, begin + kAfterPoints, sizeof(Contact) - kAfterPoints);
}

void ContactList::clear() {
  pool_.clear();
  place_.clear();
  next_.clear();
  free_.clear();
  dropped_.clear();
  next_old_ = scattered_ = 0;
}

void ContactList::push_back(const Contact& contact) {
  place_.push_back(new_place());
  pool_[place_.back()] = contact;
}

std::uint32_t ContactList::new_place() {
  if (free_.empty()) {
    pool_.emplace_back();
    return static_cast<std::uint32_t>(pool_.size() - 1);
  }
  const std::uint32_t place = free_.back();
  free_.pop_back();
  return place;
}

void ContactList::drop_until(std::size_t end) {
  for (; next_old_ < end; ++next_old_) dropped_.push_back(place_[next_old_]);
}

void ContactList::append_next(std::uint32_t before) {
  if (before == kNew) {
    next_.push_back(new_place());
    ++scattered_;
    return;
  }
  drop_until(before);
  next_.push_back(place_[next_old_++]);
}

void ContactList::finish_next() {
  drop_until(place_.size());
  place_.swap(next_);
  free_.insert(free_.end(), dropped_.begin(), dropped_.end());
  dropped_.clear();
  if (kScattered * scattered_ > place_.size()) put_in_order();
}

void ContactList::put_in_order() {
  ordered_.resize(place_.size());
  for (std::size_t k = 0; k < place_.size(); ++k) copy(pool_[place_[k]], ordered_[k]);
  pool_.swap(ordered_);
  std::iota(place_.begin(), place_.end(), 0U);
  free_.clear();
  scattered_ = 0;
}

}  // namespace rigor
