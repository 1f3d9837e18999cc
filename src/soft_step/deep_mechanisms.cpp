#include "soft_step/deep_mechanisms.h"

#include <algorithm>
#include <cmath>

#include "constraints/row_math.h"
#include "integrators/rotation.h"

namespace rigor {

namespace {

/// Larger mechanisms are solved without the loose bodies that touch them, or not at all: an active set of many contacts takes long.
/// Chosen: ten ragdolls.
constexpr std::size_t kMostBodies = 160, kMostPoints = 512;
/// Compliance of rows with bounds, relative to their own G M⁻¹ Gᵀ: it keeps them independent of the joints.
constexpr double kCompliance = 1e-7;
/// A contact is too deep from this many times the allowed depth on. Contacts rest near that depth, and those are not worth a solve in every step. Chosen.
constexpr double kTooDeep = 1.25;
constexpr double kMostTurn = 0.1;  // rad: beyond it the equations are no longer those of the bodies; chosen
/// Joints may open by this part of the depth that a displacement removes, and contacts become deeper by it when joints are closed. Chosen.
constexpr double kMayOpen = 0.25;
constexpr double kClosed = 5e-5;  // m or rad: wider gaps of joints are closed at once; half of what trees leave
constexpr int kTries = 4;         // lengths of a displacement that are tried, each half of the last; chosen
constexpr int kMostParts = 4;     // displacements of a mechanism in a step; chosen
/// A system has no solution where it leaves more than this part of its largest right-hand side undone: what lies on the mechanism and takes no
/// part holds it down. Chosen: a quarter is worth a displacement, which move() judges; rings whose links are wedged come out in several.
constexpr double kUndone = 0.75;
/// A body moves by at most this many times the depth that its displacement removes. Two surfaces that hold a body form a wedge if they are
/// not quite parallel, and it would slide out of it, by any distance. Chosen: levers of ten to one are rare.
constexpr double kMostReach = 20;

bool is_rigid(const Row& row) { return !std::isfinite(row.stiffness); }

double square(double x) { return x * x; }

Jacobian contact_jacobian(const Vec3& n, const Vec3& r_a, const Vec3& r_b) {
  Jacobian J{};
  const Vec3 turn_a = -cross(r_a, n), turn_b = cross(r_b, n);
  for (int k = 0; k < 3; ++k) {
    const auto i = static_cast<std::size_t>(k);
    J[i] = -n[k], J[i + 3] = turn_a[k], J[i + 6] = n[k], J[i + 9] = turn_b[k];
  }
  return J;
}

}  // namespace

void DeepMechanisms::separate(const ConstraintList& list, const SoftIslands& islands, std::span<const DeepContact> deep,
                              const DeepContacts::Options& options, BodyState& state) {
  const Task task{list, options, state};
  if (list.joints.empty() || !find_jointed(task, islands, deep)) return;
  number_.assign(state.awake(), -1);
  for (const bool with_neighbours : {false, true}) {
    connect(task, with_neighbours);
    collect(task);
    bool has_failed = false;
    for (const Mechanism& mechanism : mechanisms_) {
      const bool fits = mechanism.slots.size() <= kMostBodies && mechanism.points <= kMostPoints;
      if (!fits || !correct(task, mechanism, /*closes=*/false)) {
        has_failed = true;
        continue;
      }
      // Joints open to second order; the next systems close them.
      for (int k = 1; k < kMostParts && joint_error_ > kClosed && correct(task, mechanism, /*closes=*/true); ++k) {}
      for (const std::uint32_t slot : mechanism.slots) is_deep_[slot] = 0, is_moved_[slot] = 1;
    }
    if (!has_failed) return;
  }
}

/// True if a body of the contact is faster than corrections are: then an impact is under way, which is left to the velocities.
bool DeepMechanisms::is_fast(const Task& task, const StepContact& c) {
  const double most = task.options.max_shift / task.options.h;
  const std::uint32_t awake = task.state.awake(), first = std::min(c.slot_a, c.slot_b);
  const bool is_carried = task.options.frame(first).v != Vec3{};
  const auto exceeds = [&](std::uint32_t slot) {
    if (slot >= awake && is_carried) return false;  // what carries the island is at rest in its own frame
    return length_squared(task.state.velocity[slot] - task.options.frame(slot).v) > most * most;
  };
  return exceeds(c.slot_a) || exceeds(c.slot_b);
}

/// Marks jointed bodies in contacts that are too deep, in islands that rest on something; false: there are none.
bool DeepMechanisms::find_jointed(const Task& task, const SoftIslands& islands, std::span<const DeepContact> deep) {
  const BodyState& s = task.state;
  has_joint_.assign(s.awake(), 0), is_deep_.assign(s.awake(), 0), is_moved_.assign(s.awake(), 0);
  for (const StepJoint& joint : task.list.joints)
    for (const std::uint32_t slot : {joint.slot_a, joint.slot_b})
      if (slot < s.awake()) has_joint_[slot] = 1;
  bool has_any = false;
  deep_of_.assign(task.list.contacts.size(), nullptr);
  for (const DeepContact& found : deep) {
    deep_of_[found.contact] = &found;
    const StepContact& c = task.list.contacts[found.contact];
    const std::uint32_t first = std::min(c.slot_a, c.slot_b);
    if (first >= s.awake() || !islands.islands()[islands.island_of()[first]].is_held) continue;
    if (is_fast(task, c)) continue;
    double gap = 0;
    const bool is_far = DeepContacts::turns_of(c, task.options.h, s).is_far;
    for (int i = 0; i < c.points; ++i) gap = std::min(gap, DeepContacts::gap_of(c, &found, i, is_far, s));
    if (!(-gap > kTooDeep * DeepContacts::allowed(c, task.options, s))) continue;
    for (const std::uint32_t slot : {c.slot_a, c.slot_b})
      if (slot < s.awake() && has_joint_[slot]) is_deep_[slot] = 1, has_any = true;
  }
  return has_any;
}

/// Sets of bodies that joints connect, with the loose bodies that touch them, or only those in contacts that may be too deep.
void DeepMechanisms::connect(const Task& task, bool with_neighbours) {
  const std::uint32_t awake = task.state.awake();
  sets_.reset(awake);
  for (const StepJoint& joint : task.list.joints)
    if (joint.slot_a < awake && joint.slot_b < awake) sets_.unite(joint.slot_a, joint.slot_b);
  for (std::size_t k = 0; k < task.list.contacts.size(); ++k) {
    const StepContact& c = task.list.contacts[k];
    if (c.points == 0 || c.slot_a >= awake || c.slot_b >= awake || !(has_joint_[c.slot_a] || has_joint_[c.slot_b]))
      continue;
    if (with_neighbours || deep_of_[k]) sets_.unite(c.slot_a, c.slot_b);
  }
}

/// The mechanisms with a body that lies too deep.
void DeepMechanisms::collect(const Task& task) {
  const BodyState& s = task.state;
  const std::uint32_t awake = s.awake();
  mechanisms_.clear();
  std::vector<int> of(awake, -1);  // by root
  for (std::uint32_t i = 0; i < awake; ++i) {
    if (!is_deep_[i]) continue;
    int& index = of[sets_.root(i)];
    if (index < 0) index = static_cast<int>(mechanisms_.size()), mechanisms_.emplace_back();
  }
  const auto mechanism = [&](std::uint32_t slot) -> Mechanism* {
    const int index = slot < awake ? of[sets_.root(slot)] : -1;
    return index < 0 ? nullptr : &mechanisms_[static_cast<std::size_t>(index)];
  };
  for (std::uint32_t i = 0; i < awake; ++i)
    if (Mechanism* const own = mechanism(i); own && !is_moved_[i]) own->slots.push_back(i);
  for (std::uint32_t k = 0; k < task.list.joints.size(); ++k)
    if (Mechanism* const own = mechanism(std::min(task.list.joints[k].slot_a, task.list.joints[k].slot_b)))
      own->joints.push_back(k);
  for (std::uint32_t k = 0; k < task.list.contacts.size(); ++k) {
    const StepContact& c = task.list.contacts[k];
    Mechanism *const a = mechanism(c.slot_a), *const b = mechanism(c.slot_b);
    for (Mechanism* const own : {a, a == b ? nullptr : b})
      if (own && c.points > 0) own->contacts.push_back(k), own->points += static_cast<std::size_t>(c.points);
  }
  // Sums go in the order of ids, because slots depend on which other bodies are awake.
  for (Mechanism& own : mechanisms_)
    std::sort(own.slots.begin(), own.slots.end(),
              [&](std::uint32_t x, std::uint32_t y) { return s.id_index[x] < s.id_index[y]; });
  std::erase_if(mechanisms_, [](const Mechanism& own) { return own.slots.empty(); });
  std::sort(mechanisms_.begin(), mechanisms_.end(), [&](const Mechanism& x, const Mechanism& y) {
    return s.id_index[x.slots.front()] < s.id_index[y.slots.front()];
  });
}

bool DeepMechanisms::correct(const Task& task, const Mechanism& mechanism, bool closes) {
  for (std::size_t i = 0; i < mechanism.slots.size(); ++i) number_[mechanism.slots[i]] = static_cast<int>(i);
  write_rows(task, mechanism, closes);
  for (const std::uint32_t slot : mechanism.slots) number_[slot] = -1;
  delta_.assign(mechanism.slots.size(), {});
  system_.forget();
  system_.solve(rows_, edges_, masses_, delta_);
  const double part = scale(task);
  if (!(part > 0) || !is_solved()) return false;
  for (BodyVelocity& body : delta_) body.v = part * body.v, body.w = part * body.w;
  return move(task, mechanism, closes);
}

void DeepMechanisms::write_rows(const Task& task, const Mechanism& mechanism, bool closes) {
  rows_.resize(0), edges_.clear(), masses_.clear();
  for (const std::uint32_t slot : mechanism.slots) masses_.push_back(body_mass(task.state, slot));
  for (const std::uint32_t joint : mechanism.joints) add_joint(task, joint);
  for (const std::uint32_t contact : mechanism.contacts) add_contact(task, contact, closes);
}

/// A row J δ = r, or J δ ≥ r with λ ≥ 0 where lo is 0.
void DeepMechanisms::add_row(const Jacobian& J, double r, double lo) {
  const TreeEdge& edge = edges_.back();
  double mobility = 0;
  for (const auto& [body, at] : {std::pair{edge.a, 0}, std::pair{edge.b, 6}}) {
    if (body < 0) continue;
    const BodyMass& mass = masses_[static_cast<std::size_t>(body)];
    const Vec3 v = part(J, at), w = part(J, at + 3);
    mobility += length_squared(v) / mass.linear + dot(w, inverse(mass.angular) * w);
  }
  const bool is_bounded = std::isfinite(lo);
  rows_.J.push_back(J), rows_.r.push_back(r), rows_.gamma.push_back(is_bounded ? kCompliance * mobility : 0);
  rows_.lo.push_back(lo), rows_.hi.push_back(kUnbounded), rows_.lambda.push_back(0);
  rows_.place.push_back(is_bounded && r <= 0 ? RowPlace::lo : RowPlace::inside);
  ++edges_.back().end;
}

void DeepMechanisms::add_joint(const Task& task, std::uint32_t index) {
  thread_local JointRowList list;
  const StepJoint& joint = task.list.joints[index];
  const auto number = [&](std::uint32_t slot) { return slot < number_.size() ? number_[slot] : -1; };
  const int begin = static_cast<int>(rows_.size());
  edges_.push_back({number(joint.slot_a), number(joint.slot_b), begin, begin});
  const bool every_limit = !std::holds_alternative<PathJoint>(joint.def->kind);
  write_joint(joint, {task.state, task.list, task.options.h, every_limit}, list);
  const double most = task.options.max_shift;
  for (const Row& row : list) {
    if (!is_rigid(row)) continue;
    if (row.kind == RowKind::locked) add_row(row.J, -std::clamp(row.C, -most, most), -kUnbounded);
    if (row.kind == RowKind::limit) add_row(row.J, -std::max(row.C, -most), 0);
  }
}

void DeepMechanisms::add_contact(const Task& task, std::uint32_t index, bool closes) {
  const StepContact& c = task.list.contacts[index];
  const BodyState& s = task.state;
  const auto number = [&](std::uint32_t slot) { return slot < number_.size() ? number_[slot] : -1; };
  const int begin = static_cast<int>(rows_.size());
  edges_.push_back({number(c.slot_a), number(c.slot_b), begin, begin});
  const DeepContacts::Turns turns = DeepContacts::turns_of(c, task.options.h, s);
  const bool stays = closes || is_fast(task, c);  // it is to become no deeper, that is all
  for (int i = 0; i < c.points; ++i) {
    const ContactPoint& p = c.contact->points[static_cast<std::size_t>(i)];
    const double gap = DeepContacts::gap_of(c, deep_of_[index], i, turns.is_far, s);
    const double allowed = DeepContacts::allowed(c, task.options, s);
    const double bound =
        stays ? std::min(gap, 0.0) : DeepContacts::bound_of(c, i, gap, allowed, turns, task.options, s);
    const Vec3 r_a = rotate(s.orientation[c.slot_a], p.local_a), r_b = rotate(s.orientation[c.slot_b], p.local_b);
    const Vec3 between = s.position[c.slot_b] - s.position[c.slot_a];
    const Vec3 middle = 0.5 * (r_a + between + r_b);  // from a's center of mass
    add_row(contact_jacobian(c.contact->normal, middle, middle - between), bound - gap, 0);
  }
}

/// The largest displacement that no body makes farther than it may; 0: there is none.
double DeepMechanisms::scale(const Task& task) const {
  double part = 1, most = 0;
  for (const BodyVelocity& body : delta_) {
    const double shift = length(body.v), turn = length(body.w);
    if (!std::isfinite(shift + turn)) return 0;
    most = std::max({most, shift, turn});
    if (shift * part > task.options.max_shift) part = task.options.max_shift / shift;
    if (turn * part > kMostTurn) part = kMostTurn / turn;
  }
  return most > 0 ? part : 0;
}

/// m: what δ adds to the gap of a row, to first order.
double DeepMechanisms::linear_change(std::size_t row, const TreeEdge& edge) const {
  double sum = 0;
  for (const auto& [body, at] : {std::pair{edge.a, 0}, std::pair{edge.b, 6}}) {
    if (body < 0) continue;
    const BodyVelocity& own = delta_[static_cast<std::size_t>(body)];
    sum += dot(part(rows_.J[row], at), own.v) + dot(part(rows_.J[row], at + 3), own.w);
  }
  return sum;
}

/// False if rows contradict each other, so that only their compliance gave a solution. Rows with a bound that is not reached ask for nothing; rows of
/// lengths and of angles are judged apart.
bool DeepMechanisms::is_solved() const {
  double asked[2] = {0, 0}, undone[2] = {0, 0};
  for (const TreeEdge& edge : edges_)
    for (int i = edge.begin; i < edge.end; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const std::size_t unit = part(rows_.J[row], 0) == Vec3{} && part(rows_.J[row], 6) == Vec3{} ? 1 : 0;
      const bool is_bounded = std::isfinite(rows_.lo[row]);
      const auto error = [&](double r) { return is_bounded ? std::max(r, 0.0) : std::abs(r); };
      asked[unit] = std::max(asked[unit], error(rows_.r[row]));
      undone[unit] = std::max(undone[unit], error(rows_.r[row] - linear_change(row, edge)));
    }
  return undone[0] <= std::max(kUndone * asked[0], kClosed) && undone[1] <= std::max(kUndone * asked[1], kClosed);
}

/// m: the largest displacement of a body.
double DeepMechanisms::reach() const {
  double most = 0;
  for (const BodyVelocity& body : delta_) most = std::max(most, length(body.v));
  return most;
}

/// At the present poses, which are those of the step displaced by `moved` of δ. The points of bodies that turn far do not follow the
/// poses, so their gaps change as the rows say.
DeepMechanisms::Errors DeepMechanisms::errors(const Task& task, const Mechanism& mechanism, double moved) const {
  thread_local JointRowList list;
  Errors sum;
  for (const std::uint32_t index : mechanism.joints) {
    const StepJoint& joint = task.list.joints[index];
    write_joint(joint, {task.state, task.list, task.options.h, false}, list);
    for (const Row& row : list) {
      if (!is_rigid(row) || (row.kind != RowKind::locked && row.kind != RowKind::limit)) continue;
      const double error = row.kind == RowKind::limit ? -row.C : std::abs(row.C);
      if (!(error <= sum.joints)) sum.joints = error;
    }
  }
  double squares = 0;
  for (std::size_t k = 0; k < mechanism.contacts.size(); ++k) {
    const std::uint32_t index = mechanism.contacts[k];
    const TreeEdge& edge = edges_[mechanism.joints.size() + k];
    const StepContact& c = task.list.contacts[index];
    if (is_fast(task, c)) continue;
    const bool is_far = DeepContacts::turns_of(c, task.options.h, task.state).is_far;
    const double allowed = DeepContacts::allowed(c, task.options, task.state);
    for (int i = 0; i < edge.size(); ++i) {
      double gap = DeepContacts::gap_of(c, deep_of_[index], i, is_far, task.state);
      if (is_far && deep_of_[index]) gap += moved * linear_change(static_cast<std::size_t>(edge.begin + i), edge);
      squares += square(std::max(0.0, -gap - allowed));
    }
  }
  sum.depth = std::sqrt(squares);
  return sum;
}

/// Moves the bodies by δ, or by a part of it, if that brings the contacts apart and leaves the joints nearly closed, or closes the joints.
bool DeepMechanisms::move(const Task& task, const Mechanism& mechanism, bool closes) {
  BodyState& s = task.state;
  const Errors before = errors(task, mechanism, 0);
  std::vector<Vec3> x;
  std::vector<Quat> q;
  for (const std::uint32_t slot : mechanism.slots) x.push_back(s.position[slot]), q.push_back(s.orientation[slot]);
  double part = 1;
  for (int k = 0; k < kTries; ++k, part *= 0.5) {
    for (std::size_t i = 0; i < mechanism.slots.size(); ++i) {
      const std::uint32_t slot = mechanism.slots[i];
      s.position[slot] = x[i] + part * delta_[i].v;
      s.orientation[slot] = turned(q[i], part * delta_[i].w, 1);
    }
    const Errors after = errors(task, mechanism, part);
    const double apart = before.depth - after.depth, closed = before.joints - after.joints;
    if (closes ? closed > 0.25 * before.joints && -apart <= kMayOpen * closed
               : apart > 0 && -closed <= kMayOpen * apart && part * reach() <= kMostReach * apart) {
      take_back_velocities(task, mechanism, part);
      joint_error_ = after.joints;
      return true;
    }
  }
  for (std::size_t i = 0; i < mechanism.slots.size(); ++i)
    s.position[mechanism.slots[i]] = x[i], s.orientation[mechanism.slots[i]] = q[i];
  return false;
}

/// Bodies that were moved against their velocity did not move by it. Those that are faster than corrections keep their momentum.
void DeepMechanisms::take_back_velocities(const Task& task, const Mechanism& mechanism, double moved) const {
  BodyState& s = task.state;
  double along = 0, squared = 0, farthest = 0;
  for (std::size_t i = 0; i < mechanism.slots.size(); ++i) {
    const std::uint32_t slot = mechanism.slots[i];
    const Vec3 p = masses_[i].linear * delta_[i].v, L = masses_[i].angular * delta_[i].w;
    const BodyVelocity frame = task.options.frame(slot);
    along += dot(p, s.velocity[slot] - frame.v) + dot(L, s.angular_velocity[slot] - frame.w);
    squared += dot(p, delta_[i].v) + dot(L, delta_[i].w);
    farthest = std::max(farthest, length(delta_[i].v));
  }
  if (!(along < 0) || !(squared > 0)) return;
  const double rate = -along / squared;  // 1/s
  if (!(rate * farthest * task.options.h < task.options.max_shift)) return;
  const double part = std::min(rate, moved / task.options.h);
  for (std::size_t i = 0; i < mechanism.slots.size(); ++i) {
    s.velocity[mechanism.slots[i]] += part * delta_[i].v;
    s.angular_velocity[mechanism.slots[i]] += part * delta_[i].w;
  }
}

}  // namespace rigor
