// The frequencies that keep columns of unlike bodies from buckling, and thin bodies from sinking into each other.
//
// A contact is a spring of angular frequency ω: it resists turning by κ = ω² I, with the moments of inertia of its two bodies in series,
// I = (1/I_a + 1/I_b)⁻¹. All that lies above it tips over it by the moment A = Σ m a Δy per radian. With one contact that gives way and all others
// rigid the column stands while A < κ; with all of them while Σ A / κ < 1 (Dunkerley), which is 3/4 of Greenhill's limit for equal cubes.
//
// The bodies of an island are taken in levels, by the fewest contacts down to what does not move. Contacts between two levels act
// together: their moments of inertia add up, and those at a distance d from their middle resist by m d², too.
//
// Under the weight M a of all above it a contact gives way by M a / (m ω²), with the masses of its two bodies in series, m.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "constraints/constraint_list.h"
#include "rigor/state.h"

namespace rigor {

class ColumnSway {
 public:
  struct Levels {
    std::span<const std::uint32_t> of_slot;    // 1: on something that does not move, 0: unknown
    std::span<const std::uint32_t> slots;      // with levels, ascending by level
    std::span<const std::uint32_t> island_of;  // by slot
  };

  /// Must be called before find(): forgets all islands.
  void begin(std::size_t islands);
  /// `acceleration`: m/s², by the forces.
  void add_island(std::uint32_t island, const Vec3& acceleration, int depth);
  bool empty() const { return columns_.empty(); }
  void find(const ConstraintList& list, const BodyState& state, const Levels& levels);
  /// rad²/s²: ω² = Σ A / I; 0 for islands that were not added.
  double sway2(std::uint32_t island) const;
  /// m/s²: the largest M a / m, by which a contact of this island gives way times ω²; 0 for islands that were not added.
  double load(std::uint32_t island) const;

 private:
  struct Column {
    Vec3 up, right, ahead;
    double acceleration = 0;
    std::size_t begin = 0, end = 0;  // of levels_
    double sway2 = 0, load = 0;
  };
  /// One level: its bodies, and the contacts below it.
  struct Level {
    double mass = 0, moment = 0;    // kg, kg m: about the origin
    double stiffness = 0;           // kg m²: moments of inertia of the contacts
    double weight = 0, height = 0;  // kg, kg m: masses of the contacts, and their moment upwards
    double x = 0, z = 0;            // kg m, to the right and ahead
    double xx = 0, xz = 0, zz = 0;  // kg m²
    double inertia() const;         // kg m², of all contacts in the weakest direction
  };
  void add_contact(const StepContact& c, const BodyState& state, const Levels& levels);
  void add_up(Column& column) const;

  static constexpr std::uint32_t kNone = ~0U;
  std::vector<std::uint32_t> column_of_;  // by island
  std::vector<Column> columns_;
  std::vector<Level> levels_;
};

}  // namespace rigor
