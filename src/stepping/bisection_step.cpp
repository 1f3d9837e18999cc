// Retroactive detection (3.8.2; Baraff 1997): a step that ends in an overlap is undone, and the time of first contact is
// searched; the collision is solved there, and the rest of the step continues from there.
//
//   search bisection    halves the interval
//   search root         the Illinois variant of regula falsi on the depth as a function of time: Baraff's faster search
//
// The measure is the deepest overlap of the whole world beyond the initial one. If an overlap cannot be
// avoided (bodies that overlap at the start, more impacts than `max_impacts` in a step), the rest is one explicit step.
//
// Bisection only asks whether a trial overlaps. A witness of the last overlapping trial answers that for most later ones without
// collision detection (interpenetration_witness.h). The root search needs the depth and finds contacts at every trial.
#include <algorithm>

#include "registry/entry.h"
#include "stepping/continuous.h"
#include "stepping/interpenetration_witness.h"
#include "stepping/step_parts.h"

namespace rigor {

namespace {

class BisectionStep final : public Stepping {
 public:
  void fields(FieldVisitor& v) override {
    v.number("tolerance", tolerance_, {"m", kPositive, 1, "depth up to which bodies touch and do not overlap"});
    v.choice("search", search_, {"bisection", "root"}, "how the time of contact is found");
    v.integer("iterations", iterations_, {"1", 1, 200, "trial steps of one search"});
    v.integer("max_impacts", max_impacts_, {"1", 1, 10000, "searches within one step"});
    v.flag("witness", uses_witness_, "overlapping trials of a bisection are recognised by a cached point");
    options_.fields(v);
  }

  void step(StepContext& c, double h) override {
    const double start = c.time;
    c.settings.touching = 2 * tolerance_;
    c.settings.whole = h;
    c.settings.waits = true;
    double done = 0;
    for (int impacts = 0; impacts < max_impacts_ && done < h; ++impacts) {
      const double rest = h - done, part = advance_to_contact(c, rest);
      done = part < rest ? done + part : h;  // done + rest may miss h by rounding
      c.time = start + done;
    }
    c.settings.waits = false;
    if (done < h) explicit_rest(c, h - done);
  }

 private:
  /// Makes one step of at most `rest` seconds that does not end in a new overlap. Returns its size.
  double advance_to_contact(StepContext& c, double rest) {
    find_contacts(c);
    witness_.drop();
    const StepSave start(c);
    const ContinuousCollision fast_bodies(c.world);
    const double allowed = std::max(tolerance_, deepest(c.contacts.contacts()) + 0.5 * tolerance_);
    double late = rest, late_depth = excess(c, late, allowed);
    const double stop = fast_bodies.first_stop(c.world, rest, 4 * tolerance_);  // closer than `touching`
    if (stop < rest) {  // a body passed through another one, perhaps without an overlap at the end
      start.restore(c);
      rest = late = stop;
      late_depth = excess(c, late, allowed);
    }
    if (late_depth <= 0) return rest;
    double early = 0, early_depth = -allowed;
    enum class Moved { neither, first, last } moved = Moved::neither;  // the end that the last trial replaced
    for (int i = 0; i < iterations_; ++i) {
      const double t =
          search_ == "root" ? early + (late - early) * early_depth / (early_depth - late_depth) : 0.5 * (early + late);
      start.restore(c);
      const double depth = excess(c, t, allowed);
      if (depth <= 0 && depth > -tolerance_) return t;  // touches
      // Illinois: the end that stays twice counts half, so that both ends move.
      if (depth <= 0) {
        early = t;
        early_depth = depth;
        late_depth *= moved == Moved::first ? 0.5 : 1;
        moved = Moved::first;
      } else {
        late = t;
        late_depth = depth;
        early_depth *= moved == Moved::last ? 0.5 : 1;
        moved = Moved::last;
      }
    }
    return accept(c, start, early, rest);
  }

  /// If no step ends in touching contact: takes the longest one that does not overlap, or the whole step if there is none.
  double accept(StepContext& c, const StepSave& start, double early, double rest) {
    start.restore(c);
    const double t = early > 0 ? early : rest;
    try_step(c, t);
    return t;
  }

  void try_step(StepContext& c, double t) {
    find_contacts(c);
    StepOptions options = options_.options();
    options.continuous = false;
    solve_and_move(c, t, options);
  }

  void explicit_rest(StepContext& c, double t) {
    find_contacts(c);
    solve_and_move(c, t, options_.options());
  }

  /// Makes a step of t seconds and returns how much deeper than allowed it ends. A gap beyond the envelope, which is not measured, counts as
  /// the envelope: the root search divides by differences of depths.
  double excess(StepContext& c, double t, double allowed) {
    try_step(c, t);
    const bool by_witness = uses_witness_ && search_ == "bisection";
    if (by_witness && witness_.shows(c.world, allowed)) return kOverlaps;
    ContactFinder probe = c.contacts;
    probe.find(c.world, c.search.broadphase, c.search.narrowphase, c.contact_envelope, c.threads);
    const double beyond = std::max(deepest(probe.contacts()), -c.contact_envelope) - allowed;
    if (by_witness && beyond > 0) witness_.find(c.world, probe.contacts());
    return beyond;
  }

  static constexpr double kOverlaps = 1;  // m; any positive number: bisection reads its sign

  double tolerance_ = 1e-3;
  std::string search_ = "bisection";
  int iterations_ = 40, max_impacts_ = 50;
  bool uses_witness_ = true;
  InterpenetrationWitness witness_;  // of the present search
  StepOptionFields options_;
};

}  // namespace

Entry register_bisection_step() {
  return {Kind::stepping,
          "bisection",
          "steps back to the time of first contact",
          "Baraff 1997; Garstenauer 2006, 3.8.2",
          {"exact-impact-times"},
          make_default<BisectionStep>,
          {}};
}

}  // namespace rigor
