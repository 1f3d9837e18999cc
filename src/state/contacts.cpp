#include "rigor/contacts.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "rigor/error.h"

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
  std::vector<Contact>().swap(ordered_);  // contacts are large, and in a world at rest the pool stays in order
  std::iota(place_.begin(), place_.end(), 0U);
  free_.clear();
  scattered_ = 0;
}

// The properties of a contact that contact modifiers may change.

void ContactChange::set_friction(double kinetic, double at_rest) {
  if (!(std::isfinite(kinetic) && kinetic >= 0 && std::isfinite(at_rest) && at_rest >= 0))
    throw Error("contact.friction", "expected finite numbers, not negative");
  contact_.friction = kinetic;
  contact_.static_friction = at_rest < kinetic ? kinetic : at_rest;
}

void ContactChange::set_restitution(double restitution) {
  if (!(restitution >= 0 && restitution <= 1)) throw Error("contact.restitution", "expected a number from 0 to 1");
  contact_.restitution = restitution;
}

void ContactChange::set_surface_velocity(const Vec3& velocity) {
  if (!is_finite(velocity)) throw Error("contact.surface_velocity", "expected three finite numbers");
  contact_.surface_velocity = velocity - dot(velocity, contact_.normal) * contact_.normal;
  contact_.is_plain = false;
}

void ContactChange::disable() {
  contact_.disabled = true;
  // A contact that is enabled again starts without the impulses of an earlier step.
  for (int i = 0; i < contact_.count; ++i) {
    ContactPoint& p = contact_.points[static_cast<std::size_t>(i)];
    p.normal_impulse = p.spinning_impulse = 0;
    p.tangent_impulse[0] = p.tangent_impulse[1] = p.rolling_impulse[0] = p.rolling_impulse[1] = 0;
  }
}

}  // namespace rigor
