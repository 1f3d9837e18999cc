// The contacts of every body: indices of contacts sorted by bodies, built by the first query after a search.
#pragma once

#include <cstdint>
#include <vector>

#include "rigor/contacts.h"

namespace rigor {

class ContactIndex {
 public:
  BodyContacts of(const ContactList& contacts, BodyId id);
  /// Call this before the contacts change.
  void clear() { is_made_ = false; }

 private:
  void make(const ContactList& contacts);

  std::vector<std::uint32_t> first_;    // by id index, in numbers_; one more than bodies
  std::vector<std::uint32_t> numbers_;  // of contacts
  bool is_made_ = false;
};

}  // namespace rigor
