// Contacts found again: what the last step knew about them is carried over.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "narrowphase/manifold.h"
#include "rigor/contacts.h"

namespace rigor {

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

}  // namespace rigor
