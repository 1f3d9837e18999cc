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
///
/// A contact of two polyhedra may be kept instead of computed: as long as the smaller body has moved by less than a given
/// distance in the frame of the other one, the points stay where they are on the bodies and only the normal turns with body a.
/// Kept pairs cost no narrow phase and no matching, and while all pairs stay the same their contacts stay in place.
class ContactFinder {
 public:
  /// Replaces the contacts by those of the world's present state. Points up to `envelope` metres apart are found. Contacts are
  /// kept while bodies have moved against each other by less than `keep_within` metres; the separations of kept contacts are
  /// those of the time when they were computed.
  void find(const World& world, Broadphase& broadphase, const Narrowphase& narrowphase, double envelope,
            const ThreadPool& threads, double keep_within = 0);

  const ContactList& contacts() const { return contacts_; }
  ContactList& contacts() { return contacts_; }
  /// Drops what narrow phases remember; contacts and their impulses stay.
  void forget_pairs() { kept_.clear(), last_pairs_.clear(); }
  /// Of the last search.
  std::size_t kept_count() const { return pairs_.size() - task_count_; }

  /// For snapshots. What is only looked at (points of contacts that will not be kept, separations) is in single precision.
  void save(const World& world, ByteWriter& out) const;
  void restore(const World& world, ByteReader& in);

 private:
  /// What is remembered of a pair of bodies. Full ids: an index may belong to another body by now.
  struct KeptPair {
    BodyId a, b;
    PairCache cache;
    // While the contact may be kept.
    Transform pose;              // when it was computed: of the smaller shape in the frame of the other one
    Vec3 normal;                 // of the contact, frame of shape a
    double within = 0;           // m, how far the smaller shape may move; 0: the contact is computed in every search
    double reach = 0;            // m, from the smaller shape's origin to its farthest point
    std::uint32_t contacts = 0;  // of the pair in the last search
    bool a_is_smaller = false, is_new = false;
  };
  /// What the search has to know of a body, by id index.
  struct Known {
    const Shape* shape = nullptr;
    const Material* material = nullptr;
    std::uint32_t slot = 0, generation = 0;
  };
  /// What a body's frame and bounds were computed from.
  struct Seen {
    Transform pose, shape_frame;
    const Shape* shape = nullptr;
    bool operator==(const Seen&) const = default;
  };

  static constexpr std::uint32_t kNoTask = 0xffffffff;

  void forget();
  void update_bounds(const World& world, double envelope, const ThreadPool& threads);
  void filter_pairs(const World& world);
  void match_pairs(const World& world);
  void choose_kept(const World& world, double keep_within, const ThreadPool& threads);
  bool still_holds(const KeptPair& pair, double keep_within) const;
  void prepare_tasks(double envelope);
  bool place_contacts();
  void collect(const World& world, double keep_within, const ThreadPool& threads);
  void collect_pairs(const World& world, std::size_t begin, std::size_t end, bool in_place, double keep_within);
  void collect_computed(const World& world, std::size_t k, std::span<const Contact> old, double keep_within);
  void turn_kept(KeptPair& pair, Contact& c) const;
  static void remember(const PairTask& task, double keep_within, KeptPair& pair);
  void fill_contact(const World& world, const KeptPair& pair, const Transform& b_in_a, const Manifold& m,
                    Contact& c) const;
  bool is_current(const World& world) const;
  void drop_unmatched();

  std::vector<ProxyBounds> bounds_;  // by id index
  std::vector<Transform> frames_;    // by id index: collision shape in the world
  std::vector<Seen> seen_;           // by id index
  std::vector<Known> known_;         // by id index
  double envelope_ = 0;              // m, that the bounds were widened by
  std::vector<ProxyPair> pairs_, last_pairs_;
  std::vector<KeptPair> kept_, old_kept_;  // by pair; of the search before
  std::vector<std::uint32_t> task_of_;     // by pair; kNoTask: its contact is kept
  std::vector<PairTask> tasks_;            // the first task_count_ are in use
  std::size_t task_count_ = 0;
  std::vector<std::uint32_t> first_contact_, old_first_contact_;  // by pair, in contacts_; one more than pairs
  ContactList contacts_, old_contacts_;
  std::uint64_t epoch_ = 0;        // of the world that the memory is about
  std::uint64_t definitions_ = 0;  // version of the definitions that the contacts belong to
};

/// Separations at the present poses, of contacts that may have been kept.
void measure_separations(ContactList& contacts, const World& world);

}  // namespace rigor
