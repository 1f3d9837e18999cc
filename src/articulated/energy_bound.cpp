#include "articulated/energy_bound.h"

#include <algorithm>
#include <cmath>

namespace rigor::articulated {

namespace {

/// Fraction by which T_1 may exceed its bound, for forces that change within a step. Chosen.
constexpr double kSlack = 0.01;

double kinetic_energy(const System& s, int tree) {
  const BodyState& state = s.state();
  double sum = 0;
  for (int i = s.forest.begin(tree); i < s.forest.begin(tree + 1); ++i) {
    const std::uint32_t slot = s.forest.links[static_cast<std::size_t>(i)].slot;
    sum += 0.5 * length_squared(state.velocity[slot]) / state.inverse_mass[slot] +
           0.5 * rigor::dot(state.angular_velocity[slot], angular_momentum(state, slot));
  }
  return sum;
}

const Link& root_of(const System& s, int tree) {
  return s.forest.links[static_cast<std::size_t>(s.forest.begin(tree))];
}

bool hangs_on_something_moving(const System& s, int tree) {
  const Link& root = root_of(s, tree);
  if (root.is_free()) return false;
  const BodyState& state = s.state();
  return length_squared(state.velocity[root.parent_slot]) + length_squared(state.angular_velocity[root.parent_slot]) >
         0;
}

/// The velocity of a free tree's root if the tree were one rigid body, and its energy.
struct RigidMotion {
  Twist root;
  double energy = 0;
};

RigidMotion rigid_motion(const System& s, int tree) {
  if (!root_of(s, tree).is_free()) return {};
  const BodyState& state = s.state();
  const TreeMomentum m = tree_momentum(s.forest, tree, state);
  Mat3 inertia;
  for (int i = s.forest.begin(tree); i < s.forest.begin(tree + 1); ++i) {
    const std::uint32_t slot = s.forest.links[static_cast<std::size_t>(i)].slot;
    const Mat3 R = rotation_matrix(state.orientation[slot]);
    const Vec3 r = state.position[slot] - m.X;
    inertia = inertia + R * Mat3::diagonal(state.inertia[slot]) * transpose(R) +
              (Mat3::diagonal(Vec3{1, 1, 1} * length_squared(r)) - outer(r, r)) * (1 / state.inverse_mass[slot]);
  }
  const Vec3 V = m.P / m.mass, w = inverse(inertia) * m.L;
  const Vec3 to_root = state.position[root_of(s, tree).slot] - m.X;
  return {carried({V, w}, to_root), 0.5 * rigor::dot(V, m.P) + 0.5 * rigor::dot(w, m.L)};
}

}  // namespace

void EnergyBound::begin(const System& s) {
  group_count_ = 0;
  listed_.assign(static_cast<std::size_t>(s.forest.tree_count()), 0);
  // A body without joints cannot gain energy in its coordinates.
  const auto has_joints = [&](int tree) { return s.forest.begin(tree + 1) - s.forest.begin(tree) > 1; };
  for (const Island& island : s.islands) {
    if (std::any_of(island.trees.begin(), island.trees.end(), has_joints)) add_group(island.trees, &island);
    for (const int tree : island.trees) listed_[static_cast<std::size_t>(tree)] = 1;
  }
  for (int t = 0; t < s.forest.tree_count(); ++t)
    if (!listed_[static_cast<std::size_t>(t)] && has_joints(t)) add_group({&t, 1}, nullptr);
  for (Group& group : groups()) {
    group.allowed = most_by_forces(s, group);
    if (group.island && !group.island->large && group.island->has(RowClass::equation)) keep_start(s, group);
  }
}

void EnergyBound::add_group(std::span<const int> trees, const Island* island) {
  if (group_count_ == groups_.size()) groups_.emplace_back();
  Group& group = groups_[group_count_++];
  group.trees.assign(trees.begin(), trees.end());
  group.island = island;
  group.kinetic = 0;
  for (std::vector<Vec3>* list : {&group.position, &group.force, &group.torque, &group.turning}) list->clear();
}

void EnergyBound::keep_start(const System& s, Group& group) {
  const BodyState& state = s.state();
  for (const int tree : group.trees) {
    group.kinetic += kinetic_energy(s, tree);
    for (int i = s.forest.begin(tree); i < s.forest.begin(tree + 1); ++i) {
      const std::uint32_t slot = s.forest.links[static_cast<std::size_t>(i)].slot;
      group.position.push_back(state.position[slot]), group.turning.push_back(state.angular_velocity[slot]);
      group.force.push_back(state.force[slot]), group.torque.push_back(state.torque[slot]);
    }
  }
}

double EnergyBound::by_way(const System& s, const Group& group) {
  const BodyState& state = s.state();
  double energy = group.kinetic;
  std::size_t k = 0;
  for (const int tree : group.trees)
    for (int i = s.forest.begin(tree); i < s.forest.begin(tree + 1); ++i, ++k) {
      const std::uint32_t slot = s.forest.links[static_cast<std::size_t>(i)].slot;
      energy += rigor::dot(group.force[k], state.position[slot] - group.position[k]) +
                0.5 * s.h * rigor::dot(group.torque[k], group.turning[k] + state.angular_velocity[slot]);
    }
  return std::max(energy, 0.0);
}

double EnergyBound::most_by_forces(const System& s, const Group& group) {
  const BodyState& state = s.state();
  double energy = 0, force_squared = 0;
  for (const int tree : group.trees) {
    energy += kinetic_energy(s, tree);
    for (int i = s.forest.begin(tree); i < s.forest.begin(tree + 1); ++i) {
      const std::uint32_t slot = s.forest.links[static_cast<std::size_t>(i)].slot;
      const Vec3 turning =
          angular_velocity_of(state.orientation[slot], state.inverse_inertia[slot], state.torque[slot]);
      force_squared +=
          length_squared(state.force[slot]) * state.inverse_mass[slot] + rigor::dot(state.torque[slot], turning);
    }
  }
  const double speed = std::sqrt(2 * energy) + s.h * std::sqrt(force_squared);
  return (1 + kSlack) * 0.5 * speed * speed;
}

bool EnergyBound::is_exceeded(const System& s, const Island& island) const {
  const std::span<const Group> all = groups();
  const auto group = std::find_if(all.begin(), all.end(), [&](const Group& g) { return g.island == &island; });
  if (group == all.end()) return false;
  double energy = 0;
  for (const int tree : island.trees) energy += kinetic_energy(s, tree);
  return !(energy <= group->allowed);
}

void EnergyBound::limit(const System& s, const std::vector<LinkCoordinates>& start, std::vector<LinkCoordinates>& end) {
  const auto is_moved_by_impulses = [](const Group& g) { return g.island && !g.island->smooth; };
  if (std::none_of(groups().begin(), groups().end(), is_moved_by_impulses)) return;
  std::vector<LinkCoordinates> at = start;
  for (std::size_t i = 0; i < at.size(); ++i) at[i].rate = end[i].rate;
  s.place(at, 0);
  for (Group& group : groups()) {
    if (!is_moved_by_impulses(group)) continue;
    group.allowed = std::min(group.allowed, slow_down(s, group, group.allowed, at));
    for (const int tree : group.trees)
      for (int i = s.forest.begin(tree); i < s.forest.begin(tree + 1); ++i)
        end[static_cast<std::size_t>(i)].rate = at[static_cast<std::size_t>(i)].rate;
  }
}

/// Work of the rows that may add energy to the trees, at the velocities at the end.
double EnergyBound::work(const System& s, const Island& island) {
  const Rows& rows = s.rows();
  const StepBodies& bodies = s.c.constraints.bodies();
  std::vector<Twist> u(s.forest.links.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    const std::uint32_t slot = s.forest.links[i].slot;
    u[i] = {s.state().velocity[slot], s.state().angular_velocity[slot]};
  }
  const auto is_driven = [&](int place) { return place >= bodies.awake && place < bodies.moving; };
  double sum = 0;
  for (const RowRef& ref : island.rows) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(ref.block)];
    const auto i = static_cast<std::size_t>(ref.row);
    const bool is_contact = block.source == RowBlock::Source::contact;
    const bool is_motor = ref.kind == RowClass::soft || (ref.kind == RowClass::bounded && !is_contact);
    // The bias of a friction row is a moving surface; that of a normal row is restitution of the speed that was removed in the step before.
    const bool has_goal = is_contact && rows.bias[i] != 0;
    if (is_motor || has_goal || is_driven(block.a) || is_driven(block.b))
      sum += std::max(rows.lambda[i] * along_row(rows, ref, s.forest, u), 0.0);
  }
  return sum;
}

double EnergyBound::slow_down(const System& s, const Group& group, double allowed, std::vector<LinkCoordinates>& at) {
  double total = 0, whole = 0;
  for (const int tree : group.trees) total += kinetic_energy(s, tree);
  if (!(total > allowed) || !std::isfinite(total)) return total;
  std::vector<RigidMotion> rigid;
  for (const int tree : group.trees) {
    rigid.push_back(rigid_motion(s, tree));
    whole += rigid.back().energy;
  }
  const double within = total > whole ? std::sqrt(std::clamp((allowed - whole) / (total - whole), 0.0, 1.0)) : 0;
  const double together = whole > (1 + kSlack) * allowed ? std::sqrt(allowed / whole) : 1;
  for (std::size_t k = 0; k < rigid.size(); ++k) {
    const int tree = group.trees[k];
    for (int i = s.forest.begin(tree); i < s.forest.begin(tree + 1); ++i)
      for (double& rate : at[static_cast<std::size_t>(i)].rate) rate *= within;
    if (!root_of(s, tree).is_free()) continue;
    std::array<double, 6>& rate = at[static_cast<std::size_t>(s.forest.begin(tree))].rate;
    for (int j = 0; j < 3; ++j) {
      rate[static_cast<std::size_t>(j)] += (together - within) * rigid[k].root.v[j];
      rate[static_cast<std::size_t>(j) + 3] += (together - within) * rigid[k].root.w[j];
    }
  }
  return allowed;
}

void EnergyBound::keep(System& s, double elapsed, std::vector<LinkCoordinates>& at) {
  for (const Group& group : groups()) {
    const Island* island = group.island;
    const bool has_springs = island && island->smooth && island->has(RowClass::soft);
    const bool is_carried_along = std::any_of(group.trees.begin(), group.trees.end(),
                                              [&](int tree) { return hangs_on_something_moving(s, tree); });
    if (has_springs || is_carried_along) continue;
    const double driven = island && !island->smooth ? work(s, *island) : 0;
    double allowed = group.allowed + driven;
    if (!group.position.empty()) {  // including taut loops
      double energy = 0;
      for (const int tree : group.trees) energy += kinetic_energy(s, tree);
      const double borne = by_way(s, group) + driven;
      // Chosen: the error of an exact motion is far smaller, unless it is slow.
      if (energy > (1 + 2 * kSlack) * borne + kSlack * group.allowed) allowed = std::min(allowed, borne);
    }
    slow_down(s, group, allowed, at);
  }
  s.place(at, elapsed);
}

}  // namespace rigor::articulated
