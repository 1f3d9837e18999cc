#include "world/contact_index.h"

#include <algorithm>
#include <span>

namespace rigor {

/// Counting sort: contacts keep their order within each body.
void ContactIndex::make(const ContactList& contacts) {
  std::uint32_t bodies = 0;
  for (const Contact& c : contacts) bodies = std::max({bodies, c.a.index + 1, c.b.index + 1});
  first_.assign(bodies + std::size_t{1}, 0);
  for (const Contact& c : contacts) {
    ++first_[c.a.index + 1];
    ++first_[c.b.index + 1];
  }
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  numbers_.resize(first_.back());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t k = 0; k < contacts.size(); ++k) {
    numbers_[next[contacts[k].a.index]++] = k;
    numbers_[next[contacts[k].b.index]++] = k;
  }
  is_made_ = true;
}

BodyContacts ContactIndex::of(const ContactList& contacts, BodyId id) {
  if (!is_made_) make(contacts);
  if (id.index + std::size_t{1} >= first_.size()) return {};
  const std::span<const std::uint32_t> numbers(numbers_.data() + first_[id.index],
                                               first_[id.index + 1] - first_[id.index]);
  if (numbers.empty()) return {};
  // The index may have belonged to a body that was removed since.
  const Contact& c = contacts[numbers.front()];
  if (c.a != id && c.b != id) return {};
  return {contacts, numbers};
}

}  // namespace rigor
