#include "soft_step/column_sway.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

double least(const Vec3& v) { return std::min({v.x, v.y, v.z}); }

/// The reduced mass or inertia of two bodies; zero stands for one that does not move.
double in_series(double a, double b) { return a == 0 ? b : b == 0 ? a : a * b / (a + b); }

double mass_of(const BodyState& s, std::uint32_t slot) {
  return s.inverse_mass[slot] > 0 ? 1 / s.inverse_mass[slot] : 0;
}

}  // namespace

void ColumnSway::begin(std::size_t islands) {
  column_of_.assign(islands, kNone);
  columns_.clear(), levels_.clear();
}

void ColumnSway::add_island(std::uint32_t island, const Vec3& acceleration, int depth) {
  Column column;
  column.acceleration = length(acceleration);
  if (!(column.acceleration > 0) || depth <= 0) return;
  column.up = -(1 / column.acceleration) * acceleration;
  column.right = normalized(cross(column.up, std::abs(column.up.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
  column.ahead = cross(column.right, column.up);
  column.begin = levels_.size(), column.end = column.begin + static_cast<std::size_t>(depth);
  levels_.resize(column.end);
  column_of_[island] = static_cast<std::uint32_t>(columns_.size());
  columns_.push_back(column);
}

void ColumnSway::find(const ConstraintList& list, const BodyState& state, const Levels& levels) {
  for (const std::uint32_t i : levels.slots) {
    const std::uint32_t k = column_of_[levels.island_of[i]];
    if (k == kNone) continue;
    Level& level = levels_[columns_[k].begin + levels.of_slot[i] - 1];
    const double mass = mass_of(state, i);
    level.mass += mass, level.moment += mass * dot(columns_[k].up, state.position[i]);
  }
  for (const StepContact& c : list.contacts)
    if (c.points > 0) add_contact(c, state, levels);
  for (Column& column : columns_) add_up(column);
}

/// Contacts within a level carry no load down, and those across a thin body, with the next but one, are not touching yet.
void ColumnSway::add_contact(const StepContact& c, const BodyState& state, const Levels& levels) {
  const auto awake = static_cast<std::uint32_t>(levels.of_slot.size());
  const std::uint32_t low = std::min(c.slot_a, c.slot_b);
  if (low >= awake || column_of_[levels.island_of[low]] == kNone) return;
  const auto level_of = [&](std::uint32_t slot) { return slot < awake ? levels.of_slot[slot] : 0; };
  const std::uint32_t level_a = level_of(c.slot_a), level_b = level_of(c.slot_b), upper = std::max(level_a, level_b);
  if (upper == 0 || std::min(level_a, level_b) + 1 != upper) return;
  const Column& column = columns_[column_of_[levels.island_of[low]]];
  Level& level = levels_[column.begin + upper - 1];
  Vec3 middle{};
  for (int i = 0; i < c.points; ++i)
    middle += rotate(state.orientation[c.slot_a], c.contact->points[static_cast<std::size_t>(i)].local_a);
  middle = state.position[c.slot_a] + (1.0 / c.points) * middle;
  const double mass = in_series(mass_of(state, c.slot_a), mass_of(state, c.slot_b));
  const double x = dot(column.right, middle), z = dot(column.ahead, middle);
  level.stiffness += in_series(least(state.inertia[c.slot_a]), least(state.inertia[c.slot_b]));
  level.weight += mass, level.height += mass * dot(column.up, middle);
  level.x += mass * x, level.z += mass * z;
  level.xx += mass * x * x, level.xz += mass * x * z, level.zz += mass * z * z;
}

double ColumnSway::Level::inertia() const {
  if (!(weight > 0)) return 0;
  const double a = xx - x * x / weight, b = xz - x * z / weight, d = zz - z * z / weight;
  return stiffness + std::max(0.0, 0.5 * (a + d) - std::hypot(0.5 * (a - d), b));
}

void ColumnSway::add_up(Column& column) const {
  double mass = 0, moment = 0;  // of all above
  for (std::size_t k = column.end; k-- > column.begin;) {
    const Level& level = levels_[k];
    mass += level.mass, moment += level.moment;
    if (level.weight > 0) column.load = std::max(column.load, column.acceleration * mass / level.weight);
    const double inertia = level.inertia();
    if (inertia > 0)
      column.sway2 += column.acceleration * std::max(0.0, moment - mass * level.height / level.weight) / inertia;
  }
}

double ColumnSway::sway2(std::uint32_t island) const {
  return column_of_[island] == kNone ? 0 : columns_[column_of_[island]].sway2;
}

double ColumnSway::load(std::uint32_t island) const {
  return column_of_[island] == kNone ? 0 : columns_[column_of_[island]].load;
}

}  // namespace rigor
