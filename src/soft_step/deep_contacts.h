// Bodies that lie too deep in each other are moved apart at the end of a step, by position alone.
//
// The sweeps over velocities push a heavy body out of a light one by about m / M of what is missing, so that a light body in a heap
// would stay squeezed for seconds. Positions may be corrected in any metric, because the correction is no motion: no momentum and no
// kinetic energy belongs to it. The metric is that of masses m' that differ by at most a factor `kRatio` between bodies that touch,
//
//   m'_i = max(m_i, m'_j / kRatio)  over all j that touch i,  and infinite inertia: bodies are shifted, not turned,
//                                                               which would press their other end into something
//
//   find μ ≥ 0:  G M'⁻¹ Gᵀ μ + gap ≥ bound,  complementary,      x ← x + M'⁻¹ Gᵀ μ
//
// by Gauss–Seidel over the contacts of the island, where the points of a contact are visited at once (Jacobi), so that a body on four
// equal points does not tilt. A contact deeper than
// `max_sag` — `max_depth` where a body has m' > m — is to lose what it is too deep by; no other contact becomes deeper. Only islands that rest on something fixed are corrected: elsewhere the shift would change
// the angular momentum of moving bodies, and nothing squeezes for long. Bodies with joints stay where they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/state.h"
#include "soft_step/soft_islands.h"

namespace rigor {

class DeepContacts {
 public:
  struct Options {
    double max_sag = 0;    // m: contacts may be as deep
    double max_depth = 0;  // m: of bodies that much heavier ones squeeze, which sag for want of sweeps
    double max_shift = 0;  // m: by which a contact comes out in this step, at most
    double h = 0;          // s: what velocities open in a step is left to them
  };
  /// `deep`: contacts of the list that may be deeper than max_depth. Changes poses of awake bodies.
  void separate(const ConstraintList& list, const SoftIslands& islands, std::span<const std::uint32_t> deep,
                const Options& options, BodyState& state);

 private:
  static constexpr std::uint32_t kFixed = 0xffffffff;
  struct Body {
    std::uint32_t slot;
    double inverse_mass;  // 1/kg, of m'
    Vec3 shift;           // m
  };
  /// Rows of one contact.
  struct Group {
    std::size_t begin, end;
  };
  struct Row {
    std::uint32_t a, b;     // of bodies_, or kFixed
    Vec3 n;                 // normal
    double gap, bound;      // m
    double mass, push = 0;  // kg, kg m
  };

  void choose_islands(const ConstraintList& list, const SoftIslands& islands, std::span<const std::uint32_t> deep,
                      std::uint32_t awake);
  void choose_bodies(const ConstraintList& list, const SoftIslands& islands, const BodyState& state);
  void level_masses(const ConstraintList& list, std::uint32_t awake);
  void write_rows(const ConstraintList& list, const Options& options, const BodyState& state);
  void add_row(const StepContact& c, int point, const Options& options, const BodyState& state);
  void sweep();
  double gap_of(const Row& row) const;
  void push(const Row& row, double change);
  void move(const Options& options, const SoftIslands& islands, BodyState& state);

  std::vector<std::uint8_t> is_chosen_;  // by island
  std::vector<std::uint8_t> has_joint_;  // by slot
  std::vector<double> mass_;             // kg by slot: m'
  std::vector<std::uint32_t> body_of_;   // by slot
  std::vector<std::uint32_t> contacts_;  // of the list, of chosen islands
  std::vector<Body> bodies_;
  std::vector<Row> rows_;
  std::vector<Group> groups_;
  std::vector<double> change_;  // by row, scratch
  std::vector<double> scale_;   // by island
};

}  // namespace rigor
