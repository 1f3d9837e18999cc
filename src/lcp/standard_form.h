// The mixed problem with limits as a standard one, w = M z + q, w, z >= 0, wᵀz = 0, for Lemke's algorithm.
//
//   equation                x eliminated by a pivoted LDLᵀ of the equations' block
//   lower limit only        x = lo + z                  w ⟂ z
//   upper limit only        x = hi - z                 -w ⟂ z
//   both                    x = lo + z             w + v ⟂ z,        hi - lo - z ⟂ v >= 0
//   dependent on x_j >= 0   x = z - μ x_j          w + v ⟂ z,        2 μ x_j - z ⟂ v >= 0
//
// The last line is the friction pyramid of Stewart and Trinkle 1996 for one axis, v being the speed of sliding one way. So
// dependent limits are solved exactly, without an outer iteration. They need lo_j >= 0.
#pragma once

#include <span>
#include <vector>

#include "lcp/lcp.h"
#include "lcp/pivoted_ldlt.h"

namespace rigor {

class StandardForm {
 public:
  /// For A with a diagonal of ones (see symmetric_scales).
  explicit StandardForm(const LcpProblem& problem);

  std::vector<double> M, q;
  int size() const { return static_cast<int>(q.size()); }
  /// x of the mixed problem.
  void recover(std::span<const double> z, std::span<double> x) const;

 private:
  void split_rows();
  void eliminate_equations();
  void substitute();
  void add_slack(int row, int slack);

  const LcpProblem& problem_;
  int n_;
  std::vector<int> equations_, limited_;       // rows of the mixed problem
  std::vector<int> slack_of_;                  // by position in `limited_`: its second unknown, -1 for none
  std::vector<int> master_;                    // by position in `limited_`: position of the row it depends on, or -1
  std::vector<double> sign_, shift_;           // by position in `limited_`: x = sign z + shift, and less μ x_master
  std::vector<double> reduced_A_, reduced_b_;  // of `limited_`, equations eliminated
  PivotedLdlt factors_;
};

}  // namespace rigor
