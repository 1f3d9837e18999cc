// All contacts of an island of unlike masses at once, after the sweeps over contacts in lanes.
//
// Gauss–Seidel carries a load through a body in about as many sweeps as the load is heavier than the body. What counts is the load of all that
// lies above, not that of the next body: 86, 32, 17 and 7 kg on half a kilogram are no pair of very unlike masses, but 140 kg on 0.5. Such
// islands are solved as the minimum of a convex function of their velocities (lcp/convex_problem.h), in time linear in the bodies of a stack,
// and independently of what the sweeps have left:
//
//   v* = u − M⁻¹ Jᵀ λ         velocities without the impulses λ of the island's contacts
//   K* ∋ J v + R γ − v̂ ⊥ γ ∈ K,   M (v − v*) = Jᵀ γ
//
// with the targets v̂ of rigid contacts, as in contact_clusters.cpp, and R small. The minimum is unique and gains no energy but that of the targets. Sticking contacts obey Coulomb's
// law. Sliding contacts separate slightly, because de Saxcé's term is left out: an interior-point method that follows this term ends with values that no longer belong to the slip, and
// loads at rest then get a velocity into each other. So three candidates are measured by Coulomb's law itself, contact_error(), and the best one is taken: the impulses before the sweeps,
// those after them, and the minimum. The minimum is computed only if the error of the other two exceeds kSettled times the velocity that forces give a body in the sub-step, so islands
// at rest need no solve. If the error of a slow island afterwards exceeds that velocity, the step is reported as not converged.
#include <algorithm>
#include <cmath>

#include "soft_step/contact_lanes.h"

namespace rigor {

namespace {

/// Ratio of the masses of an island that sweeps are not left alone with. Chosen: sweeps carry a load through twenty to one within a few
/// steps.
constexpr double kUnequal = 20;
/// A contact that pushes with so many times the forces on one of its bodies loads its island. Chosen: sweeps carry columns of ten boxes.
constexpr double kLoaded = 10;
/// Bodies of an island, at least: in one of two bodies all contacts are those of the lighter one, a cluster (contact_clusters.h), which costs less.
constexpr int kFewestBodies = 3;
/// An island has at most so many contact points and bodies. Chosen: a plate on fifty legs has 400 points. Larger islands are mostly heaps, where a load has many paths to the ground and
/// sweeps are enough.
constexpr int kMostPoints = 512, kMostBodies = 64;
/// R relative to the inverse mass of a row; lets redundant points share the load evenly. A load of 10⁴ times the lighter body gives way by
/// a hundredth of what gravity does in a sub-step.
constexpr double kCompliance = 1e-6;
constexpr double kTolerance = 1e-7;  // relative, of the momentum balance
constexpr int kWarmIterations = 8;   // chosen: what rests needs one to three
/// m/s: the mean speed of an island up to which an interior-point method, ten times as slow, solves what Newton's method does not. Faster ones
/// tumble: the next sub-step has other errors, which do not add up, and sweeps are enough. Chosen.
constexpr double kSlow = 0.1;
/// m/s: the same for Newton's method. Chosen.
constexpr double kTumbling = 1;

/// Velocity errors of contacts, relative to what forces give a body in a sub-step, that are left to the next sub-step. Chosen: a load that sinks so
/// fast is held by the correction of depth within 0.1 mm. Larger errors are solved, by the interior-point method if need be: left alone, they keep a table of thirty to one in motion for ever.
constexpr double kSettled = 0.02;
/// m/s: that velocity, at least. Smaller errors are rounding of impulses in single precision. Chosen.
constexpr double kLeastGain = 1e-4;

bool has_inverse(const Vec3& d) { return d.x > 0 && d.y > 0 && d.z > 0; }

/// I of a body from its inverse.
Mat3 inertia_of(const LaneBody& b) {
  const double* J = b.inverse_inertia;
  const Vec3 x{J[0], J[1], J[2]}, y{J[1], J[3], J[4]}, z{J[2], J[4], J[5]};
  const Vec3 yz = cross(y, z), zx = cross(z, x), xy = cross(x, y);
  const double scale = 1 / dot(x, yz);
  Mat3 I;
  for (int k = 0; k < 3; ++k) I(0, k) = scale * yz[k], I(1, k) = scale * zx[k], I(2, k) = scale * xy[k];
  return I;
}

}  // namespace

void ContactLanes::choose_direct(const ConstraintList& list, const BodyState& state, const SoftIslands& islands) {
  const std::span<const std::uint32_t> island_of = islands.island_of();
  direct_.clear(), direct_lanes_.clear(), is_solved_.clear(), may_be_hit_.clear();
  if (list.contacts.empty()) return;
  // An exact solve of contacts alone diverges from the joints of its island, which are solved in turns with the contacts.
  for (const LightCluster& cluster : clusters_.clusters())
    may_be_hit_.push_back(islands.islands()[island_of[cluster.body]].has_joints ? 0 : 1);
  has_failed_.assign(may_be_hit_.size(), 0);
  std::vector<DirectSize>& sizes = direct_sizes_;
  sizes.assign(islands.islands().size(), {});
  for (std::uint32_t i = 0; i < state.awake(); ++i) {
    DirectSize& size = sizes[island_of[i]];
    size.least = std::min(size.least, state.inverse_mass[i]), size.most = std::max(size.most, state.inverse_mass[i]);
    size.force += length(state.force[i]), size.mass += 1 / state.inverse_mass[i];
    ++size.bodies;
    size.fits = size.fits && state.inverse_mass[i] > 0 && has_inverse(state.inverse_inertia[i]);
  }
  const auto is_unequal = [](const DirectSize& size) {
    return size.fits && size.bodies >= kFewestBodies && size.most > kUnequal * size.least;
  };
  if (std::none_of(sizes.begin(), sizes.end(), is_unequal)) return;
  const auto island = [&](const StepContact& c) -> DirectSize& {
    return sizes[island_of[std::min(c.slot_a, c.slot_b)]];
  };
  for (const StepContact& c : list.contacts) {
    if (c.points == 0 || std::min(c.slot_a, c.slot_b) >= state.awake()) continue;
    DirectSize& size = island(c);
    size.points += c.points;
    // Fixed bodies that move may squeeze an island so that no velocities satisfy its contacts, and an exact solve would push without bound.
    const std::uint32_t other = std::max(c.slot_a, c.slot_b);
    if (other >= state.awake() && other < is_touched_.size()) size.fits = false;
  }
  for (std::size_t k = 0; k < sizes.size(); ++k)
    sizes[k].fits = is_unequal(sizes[k]) && !islands.islands()[k].has_joints && sizes[k].points <= kMostPoints &&
                    sizes[k].bodies <= kMostBodies;
  find_loaded(list, state, island_of);
  collect_direct(list, state, island_of);
  for (std::size_t k = 0; k < may_be_hit_.size(); ++k)
    if (sizes[island_of[clusters_.clusters()[k].body]].fits) may_be_hit_[k] = 0;
}

/// N s of a sub-step: the normal impulse of a contact.
double ContactLanes::carried(const ClusterLane& at) const {
  const LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
  double sum = 0;
  for (int i = 0; i < block.points; ++i)
    sum += static_cast<double>(points_[static_cast<std::size_t>(block.first_point + i)].impulse[0][at.lane]);
  return sum;
}

/// By the impulses of the last step: bodies of unlike masses that lie side by side need no solve as a whole.
void ContactLanes::find_loaded(const ConstraintList& list, const BodyState& state,
                               std::span<const std::uint32_t> island_of) {
  locate_lanes();
  for (std::uint32_t k = 0; k < list.contacts.size(); ++k) {
    const StepContact& c = list.contacts[k];
    const std::uint32_t slot = std::min(c.slot_a, c.slot_b);
    if (c.points == 0 || slot >= state.awake()) continue;
    DirectSize& size = direct_sizes_[island_of[slot]];
    if (!size.fits || size.is_loaded) continue;
    const double impulse = carried(lane_of_contact_[k]), sub_step = groups_[group_of_[slot]].sub_step;
    for (const std::uint32_t i : {c.slot_a, c.slot_b})
      if (i < state.awake() && impulse > kLoaded * sub_step * length(state.force[i])) size.is_loaded = true;
  }
  for (DirectSize& size : direct_sizes_) size.fits = size.fits && size.is_loaded;
}

/// Islands in the order of their first contacts, which does not depend on slots.
void ContactLanes::collect_direct(const ConstraintList& list, const BodyState& state,
                                  std::span<const std::uint32_t> island_of) {
  is_solved_.assign(state.awake(), 0);
  std::vector<std::pair<std::uint32_t, std::uint32_t>>& members = direct_members_;  // island, contact
  members.clear();
  std::uint32_t count = 0;
  for (std::uint32_t k = 0; k < list.contacts.size(); ++k) {
    const StepContact& c = list.contacts[k];
    const std::uint32_t slot = std::min(c.slot_a, c.slot_b);
    if (c.points == 0 || slot >= state.awake()) continue;
    DirectSize& size = direct_sizes_[island_of[slot]];
    if (!size.fits) continue;
    if (size.number == kNotNumbered) size.number = count++;
    members.emplace_back(size.number, k);
  }
  std::sort(members.begin(), members.end());
  for (const auto& [island, k] : members) {
    const auto at = static_cast<std::uint32_t>(direct_lanes_.size());
    const std::uint32_t body = std::min(list.contacts[k].slot_a, list.contacts[k].slot_b);
    if (island == direct_.size()) direct_.push_back({at, at, body, direct_sizes_[island_of[body]].acceleration()});
    direct_lanes_.push_back(lane_of_contact_[k]);
    direct_.back().end = at + 1;
  }
}

void ContactLanes::save_start_impulses(int pace) {
  direct_start_.clear();
  for (const DirectIsland& island : direct_) {
    if (groups_[group_of_[island.body]].pace != pace) continue;
    for (const ClusterLane& at : std::span(direct_lanes_).subspan(island.begin, island.end - island.begin)) {
      const LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
      for (int i = 0; i < block.points; ++i)
        for (const auto& impulse : points_[static_cast<std::size_t>(block.first_point + i)].impulse)
          direct_start_.push_back(impulse[at.lane]);
    }
  }
}

int ContactLanes::solve_direct(int pace, StepBodies& bodies, const LaneStep& step, bool correct) {
  int unsolved = 0;
  const LaneStep rigid = step.rigid();
  std::size_t start = 0;  // of the island in direct_start_
  for (DirectIsland& island : direct_) {
    const LaneGroup& group = groups_[group_of_[island.body]];
    if (group.pace != pace) continue;
    const auto lanes = std::span(direct_lanes_).subspan(island.begin, island.end - island.begin);
    cluster_rows_.clear();
    convex_.clear();
    collect_direct_bodies(lanes, bodies);
    for (const ClusterLane& at : lanes) add_direct_points(at, bodies, rigid, correct);
    read_start(start);
    const double gain = std::max(island.acceleration * group.sub_step, kLeastGain), speed = mean_speed();
    double error = take_better(bodies);
    if (error > kSettled * gain && speed <= kTumbling) {
      const bool is_exact = !island.has_failed && speed <= kSlow;
      const double solved = solve_convex(bodies, error, is_exact);
      if (is_exact && !(solved < error)) island.has_failed = true;
      error = solved;
    }
    if (error > gain && speed <= kSlow) ++unsolved;
    for (const int place : direct_bodies_) {
      is_solved_[static_cast<std::size_t>(place)] = error <= kSettled * gain;
      local_[static_cast<std::size_t>(place)] = -1;
    }
    start += 3 * convex_.blocks.size();
  }
  return unsolved;
}

/// m/s, the largest velocity error of the contacts with impulses λ, by the natural map of each point, λ − P(λ − (J u − v̂) / A), times A. P projects normal
/// impulses to λₙ ≥ 0 and friction to the disk of μ λₙ.
double ContactLanes::contact_error(std::span<const double> lambda, std::span<const double> missing) const {
  double worst = 0;
  const auto add = [&](double error) {
    if (!(std::abs(error) <= worst)) worst = std::isfinite(error) ? std::abs(error) : kUnbounded;
  };
  for (const ConvexBlock& cone : convex_.blocks) {
    const auto first = static_cast<std::size_t>(cone.begin);
    const auto diagonal = [&](std::size_t k) { return cluster_rows_[first + k].diagonal; };
    add(missing[first] - std::max(missing[first] - lambda[first] * diagonal(0), 0.0));
    double was[2] = {}, next[2] = {};
    const auto size = static_cast<std::size_t>(cone.size);
    for (std::size_t k = 1; k < size; ++k) {
      was[k - 1] = lambda[first + k] / direct_scale_[first + k];
      next[k - 1] = was[k - 1] - missing[first + k] / (diagonal(k) * direct_scale_[first + k]);
    }
    const double most = cone.group[0].mu * std::max(lambda[first], 0.0), length = std::hypot(next[0], next[1]);
    const double cut = length > most ? most / length : 1;
    for (std::size_t k = 1; k < size; ++k) {
      const double change = (cut * next[k - 1] - was[k - 1]) * direct_scale_[first + k];
      add(change * diagonal(k));
    }
  }
  return worst;
}

/// Velocities of the island with the impulses λ, and what the rows miss of their targets.
void ContactLanes::apply_impulses(std::span<const double> lambda, const StepBodies& bodies) {
  convex_v_ = convex_.v_free;
  for (std::size_t i = 0; i < cluster_rows_.size(); ++i) {
    const ClusterRow& row = cluster_rows_[i];
    const auto push = [&](int place, double sign, const Vec3& w) {
      if (place >= bodies.awake) return;
      double* v = convex_v_.data() + std::size_t{6} * static_cast<std::size_t>(local_[static_cast<std::size_t>(place)]);
      const Vec3 dv = (sign * lambda[i] * bodies_[static_cast<std::size_t>(place)].inverse_mass) * row.d,
                 dw = (sign * lambda[i]) * w;
      for (int k = 0; k < 3; ++k) v[k] += dv[k], v[3 + k] += dw[k];
    };
    push(row.a, -1, row.w_a), push(row.b, 1, row.w_b);
  }
  direct_missing_.resize(cluster_rows_.size());
  row_velocities(convex_, convex_v_, direct_missing_);
  for (std::size_t i = 0; i < direct_missing_.size(); ++i)
    direct_missing_[i] = (direct_missing_[i] - convex_.target[i]) / direct_scale_[i];
}

/// m/s, √(2 T / m) of the island.
double ContactLanes::mean_speed() const {
  double twice_energy = 0, mass = 0;
  for (std::size_t i = 0; i < convex_.mass.size(); ++i) {
    double p[6];
    multiply_mass(convex_.mass[i], convex_v_.data() + 6 * i, p);
    for (std::size_t k = 0; k < 6; ++k) twice_energy += p[k] * convex_v_[6 * i + k];
    mass += convex_.mass[i].linear;
  }
  return std::sqrt(twice_energy / mass);
}

/// Masses and velocities of the bodies, numbered in the order in which contacts meet them.
void ContactLanes::collect_direct_bodies(std::span<const ClusterLane> lanes, const StepBodies& bodies) {
  local_.resize(bodies_.size(), -1);
  direct_bodies_.clear();
  for (const ClusterLane& at : lanes) {
    const LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
    for (const int place : {block.a[at.lane] / kVelocitySize, block.b[at.lane] / kVelocitySize}) {
      if (place >= bodies.awake || local_[static_cast<std::size_t>(place)] >= 0) continue;
      local_[static_cast<std::size_t>(place)] = static_cast<int>(direct_bodies_.size());
      direct_bodies_.push_back(place);
      const LaneBody& body = bodies_[static_cast<std::size_t>(place)];
      convex_.mass.push_back({1 / body.inverse_mass, inertia_of(body)});
      const BodyVelocity& u = bodies.u[static_cast<std::size_t>(place)];
      convex_.v_free.insert(convex_.v_free.end(), {u.v.x, u.v.y, u.v.z, u.w.x, u.w.y, u.w.z});
    }
  }
  convex_v_ = convex_.v_free;
}

/// The points of a contact: a cone of normal and friction each. Across t₁ friction may be less: γ₂ and its row are scaled so that the ellipse is a disk.
void ContactLanes::add_direct_points(const ClusterLane& at, const StepBodies& bodies, const LaneStep& step,
                                     bool correct) {
  const LaneBlock& block = blocks_[static_cast<std::size_t>(at.block)];
  const double mu = block.friction[at.lane], inverse_across = block.inverse_across[at.lane];
  const LaneArray<float>* wanted = correct ? block.pull : block.slip;
  const double twist = correct && !block.is_single() ? static_cast<double>(block.pull[2][at.lane]) : 0;
  for (int i = 0; i < block.points; ++i) {
    const LanePoint& p = points_[static_cast<std::size_t>(block.first_point + i)];
    const double gap = p.gap[at.lane], push = correct ? std::min(-gap * step.rate, step.max_push) : 0;
    ConvexBlock cone;
    cone.begin = convex_.rows(), cone.contact = true;
    double target = gap > 0 ? -gap * step.inverse_step : push;
    for (const Rebound& r : rebounds_)
      if (r.point == block.first_point + i && r.lane == at.lane) target = r.speed;
    add_direct_row(at, i, 0, target, 1, bodies);
    if (mu > 0) {
      const double u = block.is_single() ? 0 : static_cast<double>(p.u[at.lane]),
                   v = block.is_single() ? 0 : static_cast<double>(p.v[at.lane]);
      add_direct_row(at, i, 1, wanted[0][at.lane] - twist * v, 1, bodies);
      if (inverse_across > 0) add_direct_row(at, i, 2, wanted[1][at.lane] + twist * u, 1 / inverse_across, bodies);
    }
    cone.size = convex_.rows() - cone.begin;
    if (cone.size == 3) share_compliance(cone.begin + 1);
    cone.groups = cone.size > 1 ? 1 : 0;
    cone.group[0] = {1, cone.size - 1, mu};
    const auto local = [&](int place) { return place < bodies.awake ? local_[static_cast<std::size_t>(place)] : -1; };
    cone.a = local(block.a[at.lane] / kVelocitySize), cone.b = local(block.b[at.lane] / kVelocitySize);
    convex_.blocks.push_back(cone);
  }
}

/// The rows of a friction group have one R, so that it stays a disk.
void ContactLanes::share_compliance(int row) {
  const auto first = static_cast<std::size_t>(row);
  for (std::vector<double>* by_row : {&convex_.R, &convex_.inverse_mass})
    (*by_row)[first] = (*by_row)[first + 1] = 0.5 * ((*by_row)[first] + (*by_row)[first + 1]);
}

/// A row times `scale`. Its present impulse is taken back from v*, and the velocity of what does not move goes to the target.
void ContactLanes::add_direct_row(const ClusterLane& at, int point, int axis, double target, double scale,
                                  const StepBodies& bodies) {
  add_row(at, point, axis, target, 0, 0, bodies, /*always=*/true);
  const ClusterRow& row = cluster_rows_.back();
  Jacobian J;
  put(J, 0, -scale * row.d), put(J, 3, -scale * row.m_a), put(J, 6, scale * row.d), put(J, 9, scale * row.m_b);
  convex_.J.push_back(J);
  const auto take_back = [&](int place, double sign, const Vec3& w) {
    if (place >= bodies.awake) {
      const BodyVelocity& u = bodies.u[static_cast<std::size_t>(place)];
      target -= sign * (dot(row.d, u.v) + dot(sign > 0 ? row.m_b : row.m_a, u.w));
      return;
    }
    double* v =
        convex_.v_free.data() + std::size_t{6} * static_cast<std::size_t>(local_[static_cast<std::size_t>(place)]);
    const Vec3 dv = (sign * row.lambda * bodies_[static_cast<std::size_t>(place)].inverse_mass) * row.d,
               dw = (sign * row.lambda) * w;
    for (int k = 0; k < 3; ++k) v[k] -= dv[k], v[3 + k] -= dw[k];
  };
  take_back(row.a, -1, row.w_a), take_back(row.b, 1, row.w_b);
  const double inverse_mass = scale * scale * row.diagonal;
  convex_.target.push_back(scale * target);
  convex_.R.push_back(kCompliance * inverse_mass);
  convex_.inverse_mass.push_back(inverse_mass);
  convex_.lo.push_back(0), convex_.hi.push_back(0);
  direct_scale_.resize(cluster_rows_.size());
  direct_scale_.back() = scale;
}

/// The impulses before the sweeps of an island's rows into direct_guess_.
void ContactLanes::read_start(std::size_t start) {
  direct_guess_.clear();
  for (const ConvexBlock& cone : convex_.blocks) {
    for (int k = 0; k < cone.size; ++k)
      direct_guess_.push_back(static_cast<double>(direct_start_[start + static_cast<std::size_t>(k)]));
    start += 3;
  }
}

/// Takes the impulses before or after the sweeps, whichever solve the contacts better, into direct_guess_ and to the bodies. Sweeps are soft where they correct, and soft contacts of light
/// bodies give way under heavy ones. Returns the error.
double ContactLanes::take_better(StepBodies& bodies) {
  apply_impulses(direct_guess_, bodies);
  const double before = contact_error(direct_guess_, direct_missing_);
  direct_after_.clear();
  direct_missing_.clear();
  for (const ClusterRow& row : cluster_rows_)
    direct_after_.push_back(row.lambda), direct_missing_.push_back(row.missing);
  const double after = contact_error(direct_after_, direct_missing_);
  if (!(before < after)) {
    direct_guess_.swap(direct_after_);
    return after;
  }
  for (std::size_t i = 0; i < cluster_rows_.size(); ++i) push_row(cluster_rows_[i], direct_guess_[i], bodies);
  return before;
}

/// Newton's method from direct_guess_, whose error is given (m/s). Returns the error of the impulses afterwards: those that it finds, or the same as before if they are not
/// better. `is_exact`: an interior-point method may be tried.
double ContactLanes::solve_convex(StepBodies& bodies, double error, bool is_exact) {
  ConvexSettings settings;
  settings.warm_iterations = kWarmIterations, settings.tolerance = kTolerance, settings.is_exact = is_exact;
  settings.rounds = 0;
  apply_impulses(direct_guess_, bodies);
  convex_gamma_.clear();
  for (std::size_t i = 0; i < cluster_rows_.size(); ++i) convex_gamma_.push_back(direct_guess_[i] / direct_scale_[i]);
  if (!convex_newton_.solve(convex_, convex_v_, convex_gamma_, settings).converged) return error;
  for (std::size_t i = 0; i < cluster_rows_.size(); ++i) direct_guess_[i] = direct_scale_[i] * convex_gamma_[i];
  apply_impulses(direct_guess_, bodies);
  const double solved = contact_error(direct_guess_, direct_missing_);
  if (!(solved < error)) return error;
  for (std::size_t i = 0; i < cluster_rows_.size(); ++i) push_row(cluster_rows_[i], direct_guess_[i], bodies);
  return solved;
}

}  // namespace rigor
