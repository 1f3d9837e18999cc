// Bodies that lie too deep in each other are moved apart at the end of a step, by position alone.
//
// One sweep over velocities pushes a heavy body (mass M) out of a light one (mass m) by only about m / M of the
// remaining depth, so a light body in a heap would stay squeezed for seconds. A position correction carries no momentum
// and no kinetic energy, so it may use any metric. The metric here has masses m' instead of the true masses m. Those of
// two bodies that touch differ by at most a factor `kRatio`, so that a correction at the bottom reaches the top of a heap:
//
//   m'_i = max(m_i, m'_j / kRatio)  over all j that touch i
//   find μ ≥ 0:  G M'⁻¹ Gᵀ μ + gap ≥ bound,  complementary,      x ← x + M'⁻¹ Gᵀ μ
//
// A body that turns far in a step is taken for one that rolls: the points of its contacts do not turn with it.
//
// The solver is Gauss–Seidel over the contacts of the island. The points of one contact are visited at once (Jacobi),
// so their order does not matter. Bodies are shifted but not turned, because a turn would press their other end into
// something. A body that moves against its own shift Δx loses up to |Δx| / h of that velocity if it is
// slower than max_push: the energy only falls, and a body that corrections alone hold does not gather speed. Velocities on a lift or
// another moving body that carries the island are relative to it.
//
// A contact is too deep beyond `max_sag`, or beyond `max_depth` if one of its bodies has m' > m, or beyond a part kThin of the
// thickness of its thinner body where that lies between the two: a coin that sinks in by half of its thickness comes out on the
// other side. It loses the excess; no other contact becomes deeper. Depth that the present velocities remove within the step is left to them. Only
// islands that rest on something fixed are corrected: elsewhere a shift would change the angular momentum, and nothing
// stays squeezed for long. Bodies with joints are left to deep_mechanisms.h, which comes first.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/state.h"
#include "soft_step/soft_islands.h"

namespace rigor {

/// A contact that may be too deep.
struct DeepContact {
  std::uint32_t contact = 0;   // index in ConstraintList::contacts
  std::array<float, 4> gap{};  // m, by point: points do not turn with the bodies, as the contact of a wheel does not
};

class DeepContacts {
 public:
  struct Options {
    double max_sag = 0;                 // m: allowed depth of a contact
    double max_depth = 0;               // m: the same if a much heavier body squeezes one of the two
    double max_shift = 0;               // m: largest displacement of a contact or body in this step
    double h = 0;                       // s: step; depth that the velocities remove within it is not corrected
    std::span<const double> thickness;  // m, by slot of awake bodies
    /// By slot of awake bodies: the motion of what carries them; empty if nothing is carried.
    std::span<const BodyVelocity> frames;

    BodyVelocity frame(std::uint32_t slot) const { return slot < frames.size() ? frames[slot] : BodyVelocity{}; }
  };
  /// `deep`: contacts of the list that may be deeper than max_depth. Changes positions and velocities of awake bodies.
  void separate(const ConstraintList& list, const SoftIslands& islands, std::span<const DeepContact> deep,
                const Options& options, BodyState& state);

  // What deep_mechanisms.h has in common with it.

  /// Angular velocities of the bodies of a contact, as far as points move along them.
  struct Turns {
    bool is_far = false;
    Vec3 a, b;  // rad/s
  };
  static Turns turns_of(const StepContact& contact, double h, const BodyState& state);
  /// m: of a point at the present poses, or as `deep` has it if the bodies turn far.
  static double gap_of(const StepContact& contact, const DeepContact* deep, int point, bool is_far,
                       const BodyState& state);
  /// m: how deep a contact may be whose bodies nothing much heavier squeezes.
  static double allowed(const StepContact& contact, const Options& options, const BodyState& state);
  /// m: the least gap that a point with this gap is to have after the correction; `allowed` is the depth that it may have.
  static double bound_of(const StepContact& contact, int point, double gap, double allowed, const Turns& turns,
                         const Options& options, const BodyState& state);

 private:
  static constexpr std::uint32_t kFixed = 0xffffffff;
  struct Body {
    std::uint32_t slot;
    double inverse_mass;        // 1/kg, of m'
    Vec3 shift;                 // m
    std::uint64_t shifted = 0;  // tick_ of the last change
  };
  /// Rows of one contact: they have the same bodies and normal.
  struct Group {
    std::size_t begin, end;
    bool is_settled = false;  // asked for nothing when it was last visited,
    std::uint64_t seen = 0;   // at this tick_
  };
  struct Row {
    std::uint32_t a, b;     // indices in bodies_, or kFixed
    Vec3 n;                 // normal
    double gap, bound;      // m: gap before the correction, and least gap after it
    double mass, push = 0;  // kg: effective mass; kg m: the multiplier μ
  };

  void choose_islands(const ConstraintList& list, const SoftIslands& islands, std::span<const DeepContact> deep,
                      const Options& options, const BodyState& state);
  void choose_bodies(const ConstraintList& list, const SoftIslands& islands, const BodyState& state);
  void level_masses(const ConstraintList& list, const BodyState& state);
  void write_rows(const ConstraintList& list, std::span<const DeepContact> deep, const Options& options,
                  const BodyState& state);
  void add_row(const StepContact& c, const DeepContact* deep, int point, const Turns& turns, const Options& options,
               const BodyState& state);
  bool sweep();
  static void take_back_velocity(const Vec3& shift, const Options& options, const Vec3& frame, Vec3& velocity);
  void move(const Options& options, const SoftIslands& islands, BodyState& state);

  std::vector<std::uint8_t> is_chosen_;      // by island
  std::vector<std::uint8_t> has_joint_;      // by slot
  std::vector<double> mass_;                 // kg by slot: m'
  std::vector<std::uint32_t> body_of_;       // by slot
  std::vector<std::uint32_t> contacts_;      // of the list, of chosen islands
  std::vector<const DeepContact*> deep_of_;  // by contact of the list
  std::vector<Body> bodies_;
  std::vector<Row> rows_;
  std::vector<Group> groups_;
  std::uint64_t tick_ = 0;      // counts the changes of shifts
  std::vector<double> change_;  // by row, scratch
  std::vector<double> scale_;   // by island
};

}  // namespace rigor
