// Points of contact in lanes: eight pairs of bodies side by side, point after point (packed_contact.h has the equations).
//
// Pairs are put into groups of eight of which no two share a body that can move, so that their steps of Gauss–Seidel do not see
// each other: in lanes they are the same as one after the other, whatever the width of the machine's lanes. A pair has up to four
// points; those of a group have equally many. Groups of pairs that carry something and groups of pairs that do not are kept apart,
// since an idle group costs little. Neighbouring groups come from four distant parts of the problem, so that none waits for
// the velocities that the last one writes.
//
// The order of the rows is another one than that of packed_rows.h; Gauss–Seidel solves the same problem in any order.
#pragma once

#include <cstdint>

#include "lcp/packed_rows.h"

namespace rigor {

inline constexpr int kSweepLanes = 8, kSweepPoints = 4;
template <class T> using SweepLanes = T[kSweepLanes];

struct alignas(64) SweepPair {
  SweepLanes<double> n[3], t[3];  // s = n × t
  SweepLanes<double> gamma, mu_t, mu_s;
  SweepLanes<double> mass_a, mass_b;              // inverse
  SweepLanes<double> inertia_a[6], inertia_b[6];  // inverse: xx, yy, zz, xy, xz, yz
  SweepLanes<std::int32_t> a, b;                  // places in PackedRows::bodies; 0 in lanes without a pair
  std::int32_t lanes;                             // in use
  std::int32_t points, first;                     // how many, and which is the first one
};

struct alignas(64) SweepPoint {
  SweepLanes<double> r_a[3], r_b[3];
  SweepLanes<double> constant[3], inverse[3];
  SweepLanes<double> k_nt, k_ns, k_ts;
  SweepLanes<double> x[3];
  SweepLanes<float> scale[3];
  SweepLanes<std::int32_t> index;  // of the row along n as it was given, -1: none
};

/// Lanes that are worked at together; the result is the same.
enum class SweepWidth : std::uint8_t { machine, one };

class LaneContacts {
 public:
  /// From contacts that lie in `packed` in the order given. False where a diagonal entry vanishes. Entries of `x` that are not zero carry an impulse.
  bool pack(const PackedRows& packed, std::span<const double> x);
  /// Multipliers from and to the rows as they were given.
  void load(std::span<const double> x);
  void store(std::span<double> x) const;

  /// Gives the bodies the velocities of all multipliers.
  void push(std::vector<PackedBody>& bodies) const;
  void sweep(std::vector<PackedBody>& bodies, double omega, Sweep& sweep, SweepWidth width = SweepWidth::machine);
  double largest_constant() const { return largest_constant_; }
  /// The natural error of the worst row, and the largest term of the residual's scale.
  void residual(const std::vector<PackedBody>& bodies, double& worst, double& scale) const;

 private:
  struct Run {
    int begin, count;  // contacts of one pair
    int group, lane;
  };
  struct Group {
    int points, lanes, part;
    int rank;
  };

  bool find_runs(const PackedRows& packed);
  void make_groups(const PackedRows& packed, std::span<const double> x);
  void order_groups();
  void fill(const PackedRows& packed);

  std::vector<Run> runs_;
  std::vector<Group> groups_;
  std::vector<std::uint64_t> used_;  // by body: the open groups that have it
  std::vector<SweepPair> pairs_;
  std::vector<SweepPoint> points_;
  double largest_constant_ = 0;
  bool backwards_ = false;  // the next sweep, within the points of a pair
};

/// PackedOperator with the contacts in lanes. x is up to date in the rows alone, and everywhere after judge_iterate().
class LaneOperator : public PackedOperator {
 public:
  LaneOperator(PackedRows& packed, LaneContacts& lanes, std::span<const double> x)
      : PackedOperator(packed, x), lanes_(lanes), x_(x) {}
  void restart();
  LaneContacts& lanes() { return lanes_; }
  const LaneContacts& lanes() const { return lanes_; }

 private:
  LaneContacts& lanes_;
  std::span<const double> x_;
};

/// They are taken from the packed rows before lanes are packed.
inline void row_scales(LaneOperator&, std::vector<double>&) {}
double residual_scale(const LaneOperator& op, const LcpLimits& limits, std::span<const double> d);
double natural_residual(const LaneOperator& op, const LcpLimits& limits, std::span<const double> d,
                        std::span<const double> x);
Sweep gauss_seidel_sweep(LaneOperator& op, const LcpLimits& limits, std::span<const double> d, std::span<double> x,
                         double omega);
void judge_iterate(LaneOperator& op, const LcpLimits& limits, std::span<const double> d, std::span<double> x,
                   double tolerance, LcpResult& result);

// What the lanes do, compiled for every instruction set (lane_kernels.cpp).
void push_in_lanes(const SweepPair* pairs, std::size_t count, const SweepPoint* points, PackedBody* bodies);
void sweep_in_lanes(const SweepPair* pairs, std::size_t count, SweepPoint* points, PackedBody* bodies, double omega,
                    bool backwards, SweepWidth width, Sweep& sweep);
void residual_in_lanes(const SweepPair* pairs, std::size_t count, const SweepPoint* points, const PackedBody* bodies,
                       double& worst, double& scale);

}  // namespace rigor
