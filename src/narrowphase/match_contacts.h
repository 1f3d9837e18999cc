// Contacts found again: what the last step knew about them is carried over.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "rigor/contacts.h"

namespace rigor {

/// The contacts of one pair of bodies in the last step. Composites may have thousands of them: of more than kFew, only those that
/// have a part in common with the new one are compared, or both parts, where one of them has many contacts.
class OldContacts {
 public:
  explicit OldContacts(std::span<const Contact> contacts);
  /// The most similar one; null when none points the same way.
  const Contact* match(const Contact& now) const;

 private:
  static constexpr std::size_t kFew = 64;

  std::span<const Contact> contacts_;
  std::vector<std::reference_wrapper<const Contact>> by_a_, by_b_;  // of more than kFew, sorted by parts
};

/// Impulses of the old points whose keys are found again.
void carry_impulses(const Contact& old, Contact& now);
/// The old tangent laid into the new tangent plane, or a fresh one.
Vec3 carried_tangent(const Vec3& old, const Vec3& normal);

}  // namespace rigor
