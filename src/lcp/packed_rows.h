// Rows in factors, laid out for sweeps: a row is three cache lines, the velocity of a body one. Sweeps over many rows wait for
// memory and for each other's results; so the size of a row matters, and so does the order of rows.
//
// Rows of mechanics have two properties that save a third of the bytes: forces between two bodies are opposite, J_a = -n and
// J_b = n in the linear parts, and a mass is one number, so that J W is n times 1/m there.
//
// Where W is given by mass and inertia, the three rows of a contact are packed together; see packed_contact.h. Many of them are
// swept in lanes, see lane_contacts.h.
//
// Neighbouring rows share bodies, and each would wait for the one before. Where there are many, they are cut into four parts
// that take turns row by row: a processor works at all four at a time. Points of one pair of bodies are visited forwards and
// backwards in turns, so that no corner of a box always comes first. Gauss–Seidel solves the same problem in any order of the
// rows; friction stays behind its normal row.
//
// The same operator as RowsOperator (sums are taken in another order). A sweep does not compute with a row whose limits are
// zero, as they are for the friction of a contact that carries nothing.
#pragma once

#include "lcp/gauss_seidel.h"
#include "lcp/packed_contact.h"

namespace rigor {

struct PackedRows {
  using Body = PackedBody;
  using Pair = Body::Pair;

  struct alignas(64) Row {
    double b, gamma;
    double scale;    // d_i of the shared residual
    double inverse;  // 1 / d_i
    double lo, hi;   // with a dependency: hi is the factor
    int dependency;  // -1: none
    int first, second;
    int index;              // of the row as it was given
    Pair n_xy, a_xy, b_xy;  // n; angular parts of J for a and b
    Pair z_a, z_b;          // (-n.z, a.z), (n.z, b.z)
    Pair w_a, w_b, w_z;     // angular parts of JW: x and y of a, of b, z of both
  };
  /// Where a row as it was given is: in `rows`, or one of the three of a contact.
  struct Place {
    int at;
    int of_contact;  // 0, 1, 2; -1: in `rows`
  };

  /// False when the rows have not the two properties. Memory is kept from call to call. `in_order`: contacts as they were given.
  bool pack(const LcpRows& rows, bool in_order = false);

  std::vector<Row> rows;                // in the order of sweeps; those behind `behind` come after the contacts
  std::vector<PackedContact> contacts;  // in the order of sweeps
  std::vector<PackedPair> pairs;        // of the contacts
  std::size_t behind = 0;
  std::vector<Place> place;  // of each row as it was given
  std::vector<Body> bodies;  // the first one is what cannot move; its velocity stays zero
  bool backwards = false;    // the next sweep, within the points of a pair

 private:
  /// Returns false if one of the triples that begin at `starts` is not a contact.
  bool pack_contacts(const LcpRows& given, const std::vector<int>& starts, bool in_order);
  bool pack_rows(const LcpRows& given, const std::vector<int>& singles);
  void pack_masses(const LcpRows& given);
};

class PackedOperator {
 public:
  /// `packed` has to hold the rows already.
  PackedOperator(PackedRows& packed, std::span<const double> x) : p_(packed), x_(x) {}

  int size() const { return static_cast<int>(p_.place.size()); }
  double diagonal(int i) const;
  double constant(int i) const;
  double row(int i) const;
  void change(int i, double delta);
  void restart();

  PackedRows& packed() { return p_; }
  const PackedRows& packed() const { return p_; }

 protected:
  void clear_velocities();
  void push_rows();  // but contacts

 private:
  PackedRows& p_;
  std::span<const double> x_;
};

/// Also keeps the scales with the rows, for the sweep.
void row_scales(PackedOperator& op, std::vector<double>& d);
/// As those of operators.h, contact by contact.
double residual_scale(const PackedOperator& op, const LcpLimits& limits, std::span<const double> d);
double natural_residual(const PackedOperator& op, const LcpLimits& limits, std::span<const double> d,
                        std::span<const double> x);
/// Rows that are no contacts.
void sweep_rows(std::span<const PackedRows::Row> rows, std::vector<PackedBody>& bodies, std::span<double> x,
                double omega, Sweep& sweep);
/// The sweep of gauss_seidel.h; `limits` and `d` are those that were packed.
Sweep gauss_seidel_sweep(PackedOperator& op, const LcpLimits& limits, std::span<const double> d, std::span<double> x,
                         double omega);

}  // namespace rigor
