#include "soft_step/deep_contacts.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

constexpr double kRatio = 2;        // largest ratio of the masses m' of two bodies that touch
constexpr double kUnequal = 10;     // a body is squeezed by one that is so many times as heavy
constexpr double kMostRatio = 1e5;  // m' / m, at most: a body that is heavier still is not held up by what it squeezes
constexpr double kFarTurn = 0.5;    // rad in a step; chosen: beyond it a point no longer moves along its velocity
constexpr double kThin = 0.1;       // of the thickness of a body; chosen
constexpr int kSweeps = 20;         // chosen: more sweeps gain nothing on heaps of 300 bodies
constexpr int kPasses = 8;          // passes that spread m' from contact to contact

}  // namespace

void DeepContacts::separate(const ConstraintList& list, const SoftIslands& islands, std::span<const DeepContact> deep,
                            const Options& options, BodyState& state) {
  choose_islands(list, islands, deep, options, state);
  if (std::none_of(is_chosen_.begin(), is_chosen_.end(), [](std::uint8_t yes) { return yes != 0; })) return;
  choose_bodies(list, islands, state);
  write_rows(list, deep, options, state);
  for (int k = 0; k < kSweeps && sweep(); ++k) {}
  move(options, islands, state);
}

double DeepContacts::allowed(const StepContact& c, const Options& options, const BodyState& s) {
  double thickness = kUnbounded;
  for (const std::uint32_t slot : {c.slot_a, c.slot_b})
    if (slot < s.awake()) thickness = std::min(thickness, options.thickness[slot]);
  return std::clamp(kThin * thickness, std::min(options.max_depth, options.max_sag), options.max_sag);
}

/// An island without unequal neighbours has nothing to correct unless some contact is deeper than allowed().
void DeepContacts::choose_islands(const ConstraintList& list, const SoftIslands& islands,
                                  std::span<const DeepContact> deep, const Options& options, const BodyState& s) {
  constexpr std::uint8_t kNo = 0, kMaybe = 1, kYes = 2;
  is_chosen_.assign(islands.islands().size(), kNo);
  bool is_open = false;
  for (const DeepContact& found : deep) {
    const StepContact& c = list.contacts[found.contact];
    const std::uint32_t slot = std::min(c.slot_a, c.slot_b);
    if (slot >= s.awake()) continue;
    const std::uint32_t island = islands.island_of()[slot];
    if (!islands.islands()[island].is_held || is_chosen_[island] == kYes) continue;
    double gap = 0;
    const bool is_far = turns_of(c, options.h, s).is_far;
    for (int i = 0; i < c.points; ++i) gap = std::min(gap, gap_of(c, &found, i, is_far, s));
    is_chosen_[island] = -gap > allowed(c, options, s) ? kYes : kMaybe;
    is_open = is_open || is_chosen_[island] == kMaybe;
  }
  if (!is_open) return;
  for (const StepContact& c : list.contacts) {
    if (c.points == 0 || c.slot_a >= s.awake() || c.slot_b >= s.awake()) continue;
    const double a = s.inverse_mass[c.slot_a], b = s.inverse_mass[c.slot_b];
    std::uint8_t& choice = is_chosen_[islands.island_of()[c.slot_a]];
    if (choice == kMaybe && std::max(a, b) > kUnequal * std::min(a, b)) choice = kYes;
  }
  for (std::uint8_t& choice : is_chosen_) choice = choice == kYes ? kYes : kNo;
}

/// What a body that turns far in the step lifts at one end it presses in at the other.
DeepContacts::Turns DeepContacts::turns_of(const StepContact& c, double h, const BodyState& s) {
  const Vec3 &a = s.angular_velocity[c.slot_a], &b = s.angular_velocity[c.slot_b];
  const double size_a = length(a), size_b = length(b);
  return {h * std::max(size_a, size_b) > kFarTurn, h * size_a < kFarTurn ? a : Vec3{},
          h * size_b < kFarTurn ? b : Vec3{}};
}

double DeepContacts::gap_of(const StepContact& c, const DeepContact* deep, int point, bool is_far, const BodyState& s) {
  if (deep && is_far) return static_cast<double>(deep->gap[static_cast<std::size_t>(point)]);
  const ContactPoint& p = c.contact->points[static_cast<std::size_t>(point)];
  const Vec3 on_a = s.position[c.slot_a] + rotate(s.orientation[c.slot_a], p.local_a),
             on_b = s.position[c.slot_b] + rotate(s.orientation[c.slot_b], p.local_b);
  return dot(c.contact->normal, on_b - on_a);
}

void DeepContacts::choose_bodies(const ConstraintList& list, const SoftIslands& islands, const BodyState& s) {
  has_joint_.assign(s.awake(), 0);
  for (const StepJoint& joint : list.joints)
    for (const std::uint32_t slot : {joint.slot_a, joint.slot_b})
      if (slot < s.awake()) has_joint_[slot] = 1;
  mass_.assign(s.awake(), 0);
  body_of_.assign(s.awake(), kFixed);
  contacts_.clear();
  for (std::uint32_t k = 0; k < list.contacts.size(); ++k) {
    const StepContact& c = list.contacts[k];
    const std::uint32_t slot = std::min(c.slot_a, c.slot_b);
    if (c.points == 0 || slot >= s.awake() || is_chosen_[islands.island_of()[slot]] == 0) continue;
    contacts_.push_back(k);
    for (const std::uint32_t i : {c.slot_a, c.slot_b})
      if (i < s.awake() && has_joint_[i] == 0) mass_[i] = 1 / s.inverse_mass[i];
  }
  level_masses(list, s);
  bodies_.clear();
  for (const std::uint32_t k : contacts_)
    for (const std::uint32_t i : {list.contacts[k].slot_a, list.contacts[k].slot_b}) {
      if (i >= s.awake() || !(mass_[i] > 0) || body_of_[i] != kFixed) continue;
      body_of_[i] = static_cast<std::uint32_t>(bodies_.size());
      bodies_.push_back({i, 1 / mass_[i], {}, 0});
    }
}

/// m'_i = max(m_i, m'_j / kRatio): one contact farther half of the mass still counts.
void DeepContacts::level_masses(const ConstraintList& list, const BodyState& s) {
  bool changed = true;
  for (int pass = 0; pass < kPasses && changed; ++pass) {
    changed = false;
    for (const std::uint32_t k : contacts_) {
      const std::uint32_t a = list.contacts[k].slot_a, b = list.contacts[k].slot_b;
      if (a >= s.awake() || b >= s.awake() || !(mass_[a] > 0) || !(mass_[b] > 0)) continue;
      const std::uint32_t light = mass_[a] < mass_[b] ? a : b;
      double& lighter = mass_[light];
      const double least = std::min(std::max(mass_[a], mass_[b]) / kRatio, kMostRatio / s.inverse_mass[light]);
      changed = changed || lighter < least;
      lighter = std::max(lighter, least);
    }
  }
}

void DeepContacts::write_rows(const ConstraintList& list, std::span<const DeepContact> deep, const Options& options,
                              const BodyState& s) {
  rows_.clear(), groups_.clear();
  tick_ = 0;
  deep_of_.assign(list.contacts.size(), nullptr);
  for (const DeepContact& found : deep) deep_of_[found.contact] = &found;
  for (const std::uint32_t k : contacts_) {
    const std::size_t begin = rows_.size();
    const Turns turns = turns_of(list.contacts[k], options.h, s);
    for (int i = 0; i < list.contacts[k].points; ++i) add_row(list.contacts[k], deep_of_[k], i, turns, options, s);
    if (rows_.size() > begin) groups_.push_back({begin, rows_.size()});
  }
}

double DeepContacts::bound_of(const StepContact& c, int point, double gap, double allowed, const Turns& turns,
                              const Options& options, const BodyState& s) {
  const ContactPoint& p = c.contact->points[static_cast<std::size_t>(point)];
  const Vec3 r_a = rotate(s.orientation[c.slot_a], p.local_a), r_b = rotate(s.orientation[c.slot_b], p.local_b);
  const Vec3 between = s.position[c.slot_b] - s.position[c.slot_a];
  const Vec3 middle = 0.5 * (r_a + between + r_b);  // from a's center of mass
  const Vec3 velocity_a = s.velocity[c.slot_a] + cross(turns.a, middle),
             velocity_b = s.velocity[c.slot_b] + cross(turns.b, middle - between);
  double opening = std::max(0.0, dot(c.contact->normal, velocity_b - velocity_a)) * options.h;
  // Velocities of a contact that overlapped before this step have been tried: they count as far as they have opened it.
  if (p.separation < 0) opening = std::min(opening, std::max(0.0, gap - p.separation));
  const double excess = -gap - opening - allowed;
  return excess > 0 ? gap + std::min(excess, options.max_shift) : std::min(gap, 0.0);
}

void DeepContacts::add_row(const StepContact& c, const DeepContact* deep, int point, const Turns& turns,
                           const Options& options, const BodyState& s) {
  const auto body = [&](std::uint32_t slot) { return slot < s.awake() ? body_of_[slot] : kFixed; };
  Row row;
  row.a = body(c.slot_a), row.b = body(c.slot_b), row.n = c.contact->normal;
  if (row.a == kFixed && row.b == kFixed) return;
  row.gap = gap_of(c, deep, point, turns.is_far, s);
  const auto is_squeezed = [&](std::uint32_t slot) {
    return slot < s.awake() && mass_[slot] * s.inverse_mass[slot] > kUnequal / kRatio;
  };
  const bool squeezed = is_squeezed(c.slot_a) || is_squeezed(c.slot_b);
  row.bound = bound_of(c, point, row.gap, squeezed ? options.max_depth : allowed(c, options, s), turns, options, s);
  double w = 0;
  if (row.a != kFixed) w += bodies_[row.a].inverse_mass;
  if (row.b != kFixed) w += bodies_[row.b].inverse_mass;
  row.mass = 1 / w;
  if (std::isfinite(row.gap) && std::isfinite(row.mass)) rows_.push_back(row);
}

/// Returns whether anything has changed. A contact that asked for nothing does so again until one of its bodies is shifted, so it is
/// skipped until then.
bool DeepContacts::sweep() {
  change_.resize(rows_.size());
  const std::uint64_t before = tick_;
  for (Group& group : groups_) {
    const Row& first = rows_[group.begin];
    Body* const a = first.a != kFixed ? &bodies_[first.a] : nullptr;
    Body* const b = first.b != kFixed ? &bodies_[first.b] : nullptr;
    const auto is_still = [&](const Body* body) { return !body || body->shifted <= group.seen; };
    if (group.is_settled && is_still(a) && is_still(b)) continue;
    const double part = 1 / static_cast<double>(group.end - group.begin);
    const double closer = a ? dot(first.n, a->shift) : 0, farther = b ? dot(first.n, b->shift) : 0;
    group.is_settled = true, group.seen = tick_;
    for (std::size_t k = group.begin; k < group.end; ++k) {
      const Row& row = rows_[k];
      change_[k] = std::max(-row.push, part * row.mass * (row.bound - (row.gap - closer + farther)));
      group.is_settled = group.is_settled && change_[k] == 0;
    }
    if (group.is_settled) continue;
    ++tick_;
    for (std::size_t k = group.begin; k < group.end; ++k) {
      if (change_[k] == 0) continue;
      rows_[k].push += change_[k];
      if (a) a->shift -= (change_[k] * a->inverse_mass) * first.n;
      if (b) b->shift += (change_[k] * b->inverse_mass) * first.n;
    }
    if (a) a->shifted = tick_;
    if (b) b->shifted = tick_;
  }
  return tick_ != before;
}

/// A body that is moved against its velocity did not move by that velocity, and has less of it: what forces add in every step
/// would build up otherwise. A body that is faster than corrections are keeps its momentum for what it hits.
void DeepContacts::take_back_velocity(const Vec3& shift, const Options& options, const Vec3& frame, Vec3& v) {
  const double way = length(shift);
  if (!(way > 0)) return;
  const Vec3 d = shift / way;
  const double speed = dot(frame - v, d);
  if (speed > 0 && speed * options.h < options.max_shift) v += std::min(speed, way / options.h) * d;
}

/// Scales the correction of an island down if one of its bodies would move by more than max_shift.
void DeepContacts::move(const Options& options, const SoftIslands& islands, BodyState& s) {
  scale_.assign(is_chosen_.size(), 1);
  for (const Body& body : bodies_) {
    double& scale = scale_[islands.island_of()[body.slot]];
    scale = std::min(scale, 1 / std::max(1.0, length(body.shift) / options.max_shift));
  }
  for (const Body& body : bodies_) {
    const Vec3 shift = scale_[islands.island_of()[body.slot]] * body.shift;
    s.position[body.slot] += shift;
    take_back_velocity(shift, options, options.frame(body.slot).v, s.velocity[body.slot]);
  }
}

}  // namespace rigor
