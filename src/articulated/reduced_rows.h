// The rows of a step that act on trees: those that remain besides the joints of the trees, the trees that they couple, and the coupling.
//
// A row acts on a tree as forces λ Jᵀ on one or two of its links. The coupling of two rows is A_rs = J_r H⁻¹ J_sᵀ, H being the inertia of
// the trees in their coordinates: the inverse inertia in operational space. It is the scalar product of the numbers to which the articulated
// bodies reduce the two rows, which are zero except on the ways from a row's links to their roots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "articulated/articulated_bodies.h"
#include "lcp/pivoted_ldlt.h"
#include "state/rows.h"
#include "state/step_bodies.h"

namespace rigor::articulated {

enum class RowClass : std::uint8_t {
  carried,     // of a joint in a tree: satisfied by its coordinates
  equation,    // rigid: a loop, a cut joint
  soft,        // a spring, a servo, a soft joint
  inequality,  // a contact's normal, a limit
  bounded      // a motor, friction
};

struct RowRef {
  int row, block;
  RowClass kind;
};

/// Trees that rows connect.
struct Island {
  std::vector<int> trees;
  std::vector<RowRef> rows;  // all but the carried ones, in the order of the step's rows
  std::vector<int> blocks;
  std::vector<std::uint8_t>
      forced;          // as blocks: the block has rows that act as forces in smooth motion: springs or equations
  bool large = false;  // too many rows for a matrix
  bool smooth = true;  // moved by forces that are smooth in time; otherwise by impulses at the velocity level
  bool taut = false;   // its loops need forces that a step cannot resolve; written by SmoothMotion
  bool open = false;   // the same at the start of the step; written by SmoothMotion

  bool has(RowClass kind) const;
  /// Equations of positions, not only of velocities.
  bool has_loops() const { return !large && !taut && has(RowClass::equation); }
};

std::vector<Island> find_islands(const Rows& rows, const Forest& forest);

/// p −= λ Jᵀ.
void subtract_row(const Rows& rows, const RowRef& ref, double lambda, const Forest& forest, std::span<Wrench> p);
/// J u for the links' u; bodies in no tree move with `outside`, or not at all if that is empty.
double along_row(const Rows& rows, const RowRef& ref, const Forest& forest, std::span<const Twist> u,
                 std::span<const BodyVelocity> outside = {});

/// False if the joints of the trees satisfy a row anyway, so that no impulse along it moves anything; A_rr is then rounding.
bool moves(const Rows& rows, const RowRef& ref, double A_rr);

/// Scratch memory is reused from call to call.
class RowCoupling {
 public:
  /// A of the rows given, row-major, at the poses at which `bodies` was factorised. Rows that
  /// move nothing are zero.
  const std::vector<double>& matrix(const ArticulatedBodies& bodies, const Rows& rows, std::span<const RowRef> refs);
  /// A_rr of one row alone, with the bits of matrix().
  static double diagonal(const ArticulatedBodies& bodies, const Rows& rows, const RowRef& ref);
  /// Adds the fraction `share` of J M⁻¹ Jᵀ of the free bodies to the diagonal of the rows that move something.
  void damp(const Rows& rows, std::span<const RowRef> refs, double share);
  /// λ ← a solution of A λ = λ with the A of the last call of matrix(); rows that depend on others get zero.
  void solve(std::span<double> lambda);

 private:
  /// A number z of a row.
  struct Entry {
    int coordinate, row;
    double z;
  };
  void reduce(const ArticulatedBodies& bodies, const Rows& rows, std::span<const RowRef> refs);
  void sort_by_coordinate();

  std::vector<double> A_, scaled_, s_;
  std::vector<Entry> entries_, by_coordinate_;
  std::vector<int> first_;  // by link: its first coordinate among those that rows reach; −1: none does
  std::vector<int> begin_;  // by coordinate, in by_coordinate_
  PivotedLdlt factors_;
  bool factorised_ = false;
};

}  // namespace rigor::articulated
