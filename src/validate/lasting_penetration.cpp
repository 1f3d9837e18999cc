// Reports two bodies that stay deep in each other. A pair is deep while a point of its contact penetrates by more than
//
//   max(share · t, min(5 mm, t / 2), 1.5 mm)        t: the smaller thickness of those of the two that move
//
// and is reported when that has lasted for `duration`, with both bodies and the depth; again when it is twice as deep. What an
// impact does to a contact is over sooner. The bound is that of the verdict `deep` of `rigor torture` (docs/torture.md).
//
// One pair is watched at a time: the one that is deepest relative to its bound, until it is deep no longer. So of several deep
// pairs one is reported, and one that begins later may be reported late. Contacts are those that the step found. Changes nothing.
// Cost: a pass over the contacts, and over the vertices of hulls that are deep.
#include <algorithm>
#include <cmath>

#include "model/thickness.h"
#include "registry/entry.h"
#include "state/object_names.h"
#include "validate/validator.h"

namespace rigor {

namespace {

constexpr double kLeast = 1.5e-3, kUsual = 5e-3;  // m, as in docs/torture.md
constexpr double kPause = 0.05;                   // s, between two looks of that verdict

struct DeepPair {
  const Contact* contact = nullptr;
  double depth = 0, allowed = 0;  // m

  double ratio() const { return contact ? depth / allowed : 0; }
};

double deepest_point(const Contact& c) {
  double depth = 0;
  for (int i = 0; i < c.count; ++i) depth = std::max(depth, -c.points[static_cast<std::size_t>(i)].separation);
  return depth;
}

class LastingPenetration final : public Validator {
 public:
  void fields(FieldVisitor& v) override {
    v.number("share", share_, {"1", 0, 1, "of the thinner body's thickness that is tolerated"});
    v.number("duration", duration_, {"s", 0, 1e6, "a pair is reported when it has been deep for so long"});
  }

  void validate(ValidatorContext& c) override {
    Watch watch(c.memory);
    DeepPair worst, watched;
    for (const Contact& contact : c.contacts) {
      const double depth = deepest_point(contact);
      if (depth <= kLeast || !c.world.contains(contact.a) || !c.world.contains(contact.b)) continue;
      const DeepPair pair{&contact, depth, allowed_depth(c.world, contact)};
      if (pair.ratio() <= 1) continue;
      if (pair.ratio() > worst.ratio()) worst = pair;
      if (watch.is_of(contact) && pair.ratio() > watched.ratio()) watched = pair;
    }
    // A point that comes and goes, of a body that rocks or rolls, is still the same overlap.
    const bool pauses = !watched.contact && watch.a > 0 && c.time - watch.last <= kPause;
    if (!watched.contact && !pauses) watch.begin(worst.contact, c.time - c.h), watched = worst;
    if (watched.contact) watch.last = c.time;
    if (watched.contact && c.time - watch.since >= duration_ && watched.ratio() > 2 * watch.said)
      report(c, watched, watch);
    watch.write(c.memory);
  }

 private:
  /// The memory by its names.
  struct Watch {
    double a = 0, b = 0;  // 1 + index of the bodies' ids; 0: none
    double since = 0;     // s
    double last = 0;      // s, when it was last deep
    double said = 0;      // depth relative to the bound that was reported last, whatever the pair

    explicit Watch(const ValidatorMemory& m)
        : a(m.numbers[0]), b(m.numbers[1]), since(m.numbers[2]), last(m.numbers[4]), said(m.numbers[3]) {}
    void write(ValidatorMemory& m) const {
      m.numbers[0] = a, m.numbers[1] = b, m.numbers[2] = since, m.numbers[3] = said, m.numbers[4] = last;
    }
    static double number(BodyId id) { return 1 + static_cast<double>(id.index); }
    bool is_of(const Contact& c) const { return a == number(c.a) && b == number(c.b); }
    void begin(const Contact* c, double time) { a = c ? number(c->a) : 0, b = c ? number(c->b) : 0, since = time; }
  };

  double allowed_depth(const World& world, const Contact& contact) const {
    double t = kUnbounded;
    for (const BodyId id : {contact.a, contact.b})
      if (!world.is_fixed(id)) t = std::min(t, thickness(*world.collision_shape(world.slot(id))));
    return std::max({share_ * t, std::min(kUsual, 0.5 * t), kLeast});
  }

  static void report(ValidatorContext& c, const DeepPair& pair, Watch& watch) {
    watch.said = pair.ratio();
    c.reports.push_back(report_name(c.world, pair.contact->a) + " and " + report_name(c.world, pair.contact->b) +
                        " have been deep in each other for " + report_number(c.time - watch.since) +
                        " s at t = " + report_number(c.time) + " s, now by " + report_number(pair.depth) + " m; " +
                        report_number(pair.allowed) + " m are tolerated for bodies of their size");
  }

  double share_ = 0.1, duration_ = 0.5;
};

}  // namespace

Entry register_lasting_penetration() {
  return {Kind::validator,
          "lasting-penetration",
          "reports pairs of bodies that stay deep in each other",
          "Garstenauer 2006, 7.5.6",
          {},
          make_default<LastingPenetration>,
          {}};
}

}  // namespace rigor
