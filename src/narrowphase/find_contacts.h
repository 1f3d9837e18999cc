// The first stage of a step: broad phase, filters, narrow phase, and matching with the contacts of the last step.
#pragma once

#include <vector>

#include "broadphase/broadphase.h"
#include "math/parallel.h"
#include "narrowphase/narrowphase.h"
#include "rigor/contacts.h"
#include "rigor/world.h"

namespace rigor {

class ByteReader;
class ByteWriter;

/// Finds contacts and remembers what makes the next search faster: pair caches, and the contacts themselves.
class ContactFinder {
 public:
  /// Replaces the contacts by those of the world's present state. Points up to `envelope` metres apart are found.
  void find(const World& world, Broadphase& broadphase, const Narrowphase& narrowphase, double envelope,
            const ThreadPool& threads);

  const ContactList& contacts() const { return contacts_; }
  ContactList& contacts() { return contacts_; }
  /// Drops what narrow phases remember; contacts and their impulses stay.
  void forget_pairs() { kept_.clear(); }

  /// For snapshots. What is only looked at (points, separations) is kept in single precision.
  void save(const World& world, ByteWriter& out) const;
  void restore(const World& world, ByteReader& in);

 private:
  /// What is remembered of a pair of bodies. Full ids: an index may belong to another body by now.
  struct KeptPair {
    BodyId a, b;
    PairCache cache;
  };

  void update_bounds(const World& world, double envelope, const ThreadPool& threads);
  void filter_pairs(const World& world);
  void prepare_tasks(const World& world, double envelope);
  void collect(const World& world, const ThreadPool& threads);
  void collect_pairs(const World& world, std::size_t begin, std::size_t end);

  std::vector<ProxyBounds> bounds_;  // by id index
  std::vector<Transform> frames_;    // by id index: collision shape in the world
  /// What a body's frame and bounds were computed from.
  struct Seen {
    Transform pose, shape_frame;
    const Shape* shape = nullptr;
    bool operator==(const Seen&) const = default;
  };
  std::vector<Seen> seen_;  // by id index
  double envelope_ = 0;     // m, that the bounds were widened by
  std::vector<ProxyPair> pairs_;
  std::vector<PairTask> tasks_;               // the first pairs_.size() are in use
  std::vector<KeptPair> kept_;                // of the last search, sorted by index
  std::vector<std::uint32_t> first_contact_;  // by pair, in contacts_; one more than pairs
  ContactList contacts_, old_contacts_;
  std::uint64_t epoch_ = 0;  // of the world that the memory is about
};

}  // namespace rigor
