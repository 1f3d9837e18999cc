// Contacts: where bodies touch or are about to. Written by collision detection, read by solvers, events and applications.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "rigor/ids.h"
#include "rigor/math.h"

namespace rigor {

/// One point of a contact. It is stored in the coordinates of both bodies, so that its separation can be evaluated again at a
/// changed state without collision detection. It fills two cache lines: the geometry, and what every step writes.
struct alignas(64) ContactPoint {
  Vec3 local_a, local_b;               // m, on the two surfaces, in the bodies' principal frames
  double approach_speed = 0;           // m/s: approach of an impact that the last step slowed down to reach the surface
  double spinning_impulse = 0;         // N m s, about the normal
  double separation = 0;               // m when found; negative: depth
  double closing_speed = 0;            // m/s, along the normal when the step began; negative: separating
  double normal_impulse = 0;           // N s, of the last step; written by solvers
  double tangent_impulse[2] = {0, 0};  // N s, along tangent and normal × tangent
  double rolling_impulse[2] = {0, 0};  // N m s, about tangent and normal × tangent
  std::uint32_t key = 0;               // the features that meet; matches points from step to step
  bool persisted = false;              // the last step had it, too
};

/// A manifold of one pair of bodies: up to four points with one normal. Rarely used fields come last, because steps
/// read all contacts several times and memory bandwidth limits them.
struct Contact {
  BodyId a, b;                           // a's index is the smaller one
  Vec3 normal;                           // world, unit, from a to b
  Vec3 tangent;                          // world, unit; carried along from step to step
  double friction = 0, restitution = 0;  // friction: kinetic, along the tangent
  double static_friction = 0;
  std::uint32_t part_a = 0, part_b = 0;  // part of a composite, triangle, cell
  int count = 0;
  bool directed = false;  // the tangent is that of the materials' grain
  bool disabled = false;  // by the contact modifier, for one search: no solver sees it
  bool is_plain =
      false;  // true if the fields after `points` hold their defaults: solvers then skip them; clear it when you change one
  std::array<ContactPoint, 4> points;
  double rolling_friction = 0, spinning_friction = 0;  // m, lever arms
  double friction_across = 1;                          // factor of both frictions along normal × tangent
  Vec3 surface_velocity;  // m/s, world: velocity of b's surface relative to a's, for belts and tracks
};

/// Copies a contact, without its unused points.
void copy(const Contact& from, Contact& to);

/// All contacts of a step, sorted by the bodies' id indices. A contact keeps its slot in memory as long as its pair has it: in
/// a large heap some contact begins or ends in every step, and moving all others would cost more than computing them.
class ContactList {
 public:
  static constexpr std::uint32_t kNew = 0xffffffff;

  /// T is Contact or const Contact.
  template <class T> class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Contact;
    using difference_type = std::ptrdiff_t;
    using reference = T&;
    using pointer = T*;

    Iterator() = default;
    Iterator(T* pool, const std::uint32_t* place) : pool_(pool), place_(place) {}
    T& operator*() const { return pool_[*place_]; }
    T* operator->() const { return &**this; }
    T& operator[](std::ptrdiff_t n) const { return pool_[place_[n]]; }
    Iterator& operator+=(std::ptrdiff_t n) { return place_ += n, *this; }
    Iterator& operator-=(std::ptrdiff_t n) { return place_ -= n, *this; }
    Iterator& operator++() { return ++place_, *this; }
    Iterator& operator--() { return --place_, *this; }
    Iterator operator++(int) { return {pool_, place_++}; }
    Iterator operator--(int) { return {pool_, place_--}; }
    friend Iterator operator+(Iterator i, std::ptrdiff_t n) { return i += n; }
    friend Iterator operator+(std::ptrdiff_t n, Iterator i) { return i += n; }
    friend Iterator operator-(Iterator i, std::ptrdiff_t n) { return i -= n; }
    friend std::ptrdiff_t operator-(const Iterator& i, const Iterator& k) { return i.place_ - k.place_; }
    bool operator==(const Iterator& other) const { return place_ == other.place_; }
    std::strong_ordering operator<=>(const Iterator& other) const { return place_ <=> other.place_; }

   private:
    T* pool_ = nullptr;
    const std::uint32_t* place_ = nullptr;
  };
  using value_type = Contact;
  using iterator = Iterator<Contact>;
  using const_iterator = Iterator<const Contact>;

  std::size_t size() const { return place_.size(); }
  bool empty() const { return place_.empty(); }
  Contact& operator[](std::size_t k) { return pool_[place_[k]]; }
  const Contact& operator[](std::size_t k) const { return pool_[place_[k]]; }
  Contact& at(std::size_t k) { return pool_[place_.at(k)]; }
  const Contact& at(std::size_t k) const { return pool_[place_.at(k)]; }
  iterator begin() { return {pool_.data(), place_.data()}; }
  iterator end() { return {pool_.data(), place_.data() + place_.size()}; }
  const_iterator begin() const { return {pool_.data(), place_.data()}; }
  const_iterator end() const { return {pool_.data(), place_.data() + place_.size()}; }

  void clear();
  void push_back(const Contact& contact);

  // For collision detection: builds the next list, contact by contact. Until finish_next() this list stays valid, except for
  // contacts that are written through next(): the next list takes over their slots, and with them the old contents.
  void begin_next() { next_.clear(), next_old_ = 0; }
  /// Appends contact number `before` of this list (in ascending order), or with kNew a contact with undefined contents.
  void append_next(std::uint32_t before);
  Contact& next(std::size_t k) { return pool_[next_[k]]; }
  std::size_t next_size() const { return next_.size(); }
  void finish_next();

 private:
  std::uint32_t new_place();
  void drop_until(std::size_t end);
  void put_in_order();

  std::vector<Contact> pool_, ordered_;        // scratch
  std::vector<std::uint32_t> place_, next_;    // by contact: its slot in the pool
  std::vector<std::uint32_t> free_, dropped_;  // slots that are free, and those that become free with the next list
  std::size_t next_old_ = 0;                   // contacts before this one are in the next list or dropped
  std::size_t scattered_ = 0;                  // contacts added since the pool was last sorted
};

/// What a contact modifier may change about a contact, before the solvers see it. A change holds for one step: the next one begins with the
/// values of the materials.
class ContactChange {
 public:
  explicit ContactChange(Contact& contact) : contact_(contact) {}

  const Contact& contact() const { return contact_; }
  BodyId a() const { return contact_.a; }
  BodyId b() const { return contact_.b; }
  /// Both the kinetic and the static coefficient.
  void set_friction(double friction) { set_friction(friction, friction); }
  void set_friction(double kinetic, double at_rest);
  void set_restitution(double restitution);
  /// World, m/s: the velocity of b's surface relative to a's. The part along the normal is ignored.
  void set_surface_velocity(const Vec3& velocity);
  /// Ignores the contact in this step: the two bodies pass through each other here.
  void disable();

 private:
  Contact& contact_;
};

/// The contacts of one body, of a list of all of them; nothing is copied. Valid until the next step or search.
class BodyContacts {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Contact;
    using difference_type = std::ptrdiff_t;
    using reference = const Contact&;
    using pointer = const Contact*;

    Iterator() = default;
    Iterator(const ContactList* list, const std::uint32_t* number) : list_(list), number_(number) {}
    const Contact& operator*() const { return (*list_)[*number_]; }
    const Contact* operator->() const { return &**this; }
    Iterator& operator++() { return ++number_, *this; }
    Iterator operator++(int) { return {list_, number_++}; }
    bool operator==(const Iterator& other) const { return number_ == other.number_; }

   private:
    const ContactList* list_ = nullptr;
    const std::uint32_t* number_ = nullptr;
  };

  BodyContacts() = default;
  BodyContacts(const ContactList& list, std::span<const std::uint32_t> numbers) : list_(&list), numbers_(numbers) {}
  std::size_t size() const { return numbers_.size(); }
  bool empty() const { return numbers_.empty(); }
  const Contact& operator[](std::size_t k) const { return (*list_)[numbers_[k]]; }
  Iterator begin() const { return {list_, numbers_.data()}; }
  Iterator end() const { return {list_, numbers_.data() + numbers_.size()}; }

 private:
  const ContactList* list_ = nullptr;
  std::span<const std::uint32_t> numbers_;
};

/// A box in the tree of a broad phase.
struct BroadphaseBox {
  Aabb box;
  int depth = 0;      // 0: the root of a tree
  bool leaf = false;  // of one body
};

}  // namespace rigor
