// The first stage of a step: broad phase, filters, narrow phase, and matching with the contacts of the last step.
#pragma once

#include <unordered_set>
#include <vector>

#include "broadphase/broadphase.h"
#include "math/parallel.h"
#include "narrowphase/narrowphase.h"
#include "rigor/contacts.h"
#include "rigor/world.h"

namespace rigor {

/// Finds contacts and remembers what makes the next search faster: pair caches, and the contacts themselves.
class ContactFinder {
 public:
  /// Replaces the contacts by those of the world's present state. Points up to `envelope` metres apart are found.
  void find(const World& world, Broadphase& broadphase, const Narrowphase& narrowphase, double envelope,
            const ThreadPool& threads);

  const ContactList& contacts() const { return contacts_; }
  ContactList& contacts() { return contacts_; }
  /// Pairs that the broad phase found and the filters let through in the last search.
  std::size_t pair_count() const { return pairs_.size(); }
  void clear();

 private:
  void update_bounds(const World& world, double envelope, const ThreadPool& threads);
  void filter_pairs(const World& world);
  void prepare_tasks(const World& world, double envelope);
  void collect(const World& world);

  std::vector<ProxyBounds> bounds_;  // by id index
  std::vector<Transform> frames_;    // by id index: collision shape in the world
  std::vector<ProxyPair> pairs_, old_pairs_;
  std::vector<PairTask> tasks_;
  std::vector<PairCache> old_caches_;
  ContactList contacts_, old_contacts_;
};

}  // namespace rigor
