#include "soft_step/soft_islands.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include "constraints/joint_rows.h"

namespace rigor {

namespace {

/// Stacks up to this height take a part of the sub-steps. Chosen: columns of ten boxes of a metre stand as still with two as with
/// four, and sink by 1.4 mm instead of 1.2; those of thirty fall.
constexpr int kShallow = 8;
/// Chosen: a board on a hinge throws what lies on it as far with all sub-steps as with many more, not with half of them.
constexpr int kSeveral = 3;
constexpr int kMostDoublings = 4;
/// A single body does not buckle.
constexpr int kFewest = 2;
/// A contact may give way by this part of the thickness of the thinnest body. Chosen: the depth from which thin bodies are moved apart (deep_contacts.h).
constexpr double kThin = 0.1;
/// Columns whose masses or moments of inertia differ by more than this are judged by their contacts.
constexpr double kUnlike = 2;
/// Beyond this ratio of masses light bodies are solved at once with what lies on them, and are not soft (contact_clusters.h, contact_islands.cpp).
constexpr double kSolvedAtOnce = 20;
constexpr double kGreenhill = 7.84 / 8;
/// Σ A / κ of a column of equal cubes, as a multiple of Greenhill's N³ a / L: 2 / 1.02.
constexpr double kOfGreenhill = 2 * kGreenhill;
/// Sweeps that have not converged leave contacts softer by this factor. Chosen: columns of cubes of a metre, 1 cm off and
/// never asleep, stand for a minute with four sub-steps up to 15 of them, not 20.
constexpr double kSofter = 0.25;
/// A contact may give way by this part of max_sag under the load that it carries at rest. Chosen: arches of 17 to 41 stones stand.
constexpr double kMostSag = 0.5;
/// A body is at rest if it is slower than forces make it in so many steps. Chosen.
constexpr double kAtRest = 2;
/// Larger islands are mostly heaps, in which a load has many paths and shocks come all the time; more sub-steps would cost a third of their time. Chosen.
constexpr int kMostLoaded = 128;
constexpr double kNear = 0.25;
constexpr double kSizeUnit = 1e-6, kLargest = 1e6;          // m
constexpr std::uint8_t kNoDepth = 0, kTree = 1, kTall = 2;  // why the depth of an island is needed
constexpr std::uint32_t kNoNode = ~0U;

bool drives(const JointDef& def) {
  if (const DistanceJoint* distance = std::get_if<DistanceJoint>(&def.kind)) return std::isfinite(distance->stiffness);
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  if (!axes) return false;  // paths and gears do no work
  const auto is_driven = [](const JointAxis& a) {
    return a.motor.kind != AxisMotor::Kind::none || a.spring.stiffness > 0;
  };
  return std::isfinite(axes->stiffness) || std::any_of(axes->axes.begin(), axes->axes.end(), is_driven);
}

bool moves(const BodyState& s, std::uint32_t slot) {
  return slot < s.end(BodySet::kinematic) && (s.velocity[slot] != Vec3{} || s.angular_velocity[slot] != Vec3{});
}

/// How fast the inertia of a body turns in the world: the turn about an axis of symmetry does not change it. rad/s
double inertia_turn(const BodyState& s, std::uint32_t i) {
  const Vec3& I = s.inertia[i];
  if (I.x == I.y && I.y == I.z) return 0;
  Vec3 w = rotate_inverse(s.orientation[i], s.angular_velocity[i]);
  if (I.y == I.z) w.x = 0;
  if (I.x == I.z) w.y = 0;
  if (I.x == I.y) w.z = 0;
  return length(w);
}

/// In units of kSizeUnit.
std::int64_t units(double length) {
  return static_cast<std::int64_t>(std::clamp(length, -kLargest, kLargest) / kSizeUnit);
}

/// Thin bodies also have contacts with those next but one, across the gap.
bool is_near(const Contact& c, double distance) {
  return std::any_of(c.points.begin(), c.points.begin() + c.count,
                     [&](const ContactPoint& p) { return p.separation < distance; });
}

/// Twice the mean level less one: all layers of a column, fewer of a pyramid, whose lower layers are wider.
double layers(const SoftIsland& island) {
  return island.nodes == 0 ? 1 : 2 * static_cast<double>(island.levels) / island.nodes - 1;
}

bool has_joints_in_trees(const SoftIsland& island) {
  return island.has_joints && island.all_in_trees && island.joints >= kSeveral;
}

bool is_belt(const Contact& c) { return !c.is_plain && c.surface_velocity != Vec3{}; }

/// 1/kg: the mobility of a contact point along the normal, n·K n with the K of both bodies.
double point_mobility(const StepContact& c, const ContactPoint& p, const BodyState& s) {
  const Vec3& n = c.contact->normal;
  double sum = 0;
  for (const auto& [slot, local] : {std::pair{c.slot_a, p.local_a}, std::pair{c.slot_b, p.local_b}}) {
    if (slot >= s.awake()) continue;
    const Vec3 turn = cross(local, rotate_inverse(s.orientation[slot], n));
    sum += s.inverse_mass[slot] + dot(turn, scale(s.inverse_inertia[slot], turn));
  }
  return sum;
}

}  // namespace

void SoftIslands::find(const ConstraintList& list, const BodyState& state, const JointTrees& trees,
                       const Options& options) {
  const bool has_same_joints = take_joints(list, state, trees);
  const bool is_by_joints = list.contacts.empty() && carried_.empty();
  if (std::exchange(was_by_joints_, is_by_joints) && is_by_joints && has_same_joints && options == options_) return;
  options_ = options;
  connect(list, state);
  describe(list, state);
  needs_depth_.assign(islands_.size(), kNoDepth);
  if (options.adapts) {
    for (std::size_t k = 0; k < islands_.size(); ++k)
      if (has_joints_in_trees(islands_[k]) && islands_[k].has_contacts) needs_depth_[k] = kTree;
    find_extents(state);
    find_tall(options);
    find_depths(list, trees, state.awake());
    for (std::size_t k = 0; k < islands_.size(); ++k)
      if (needs_depth_[k] == kTall) islands_[k].sway2 = extents_[k].sway2(layers(islands_[k]));
    find_columns(list, state, options);
    find_loads(list, state, options);
    for (SoftIsland& island : islands_) island.is_tall = is_coarse({.sway2 = island.sway2}, options.count, options);
  }
  choose_paces(list, state, options);
}

/// The sets of bodies that joints connect, found again where joints have changed. Returns whether they are as in the last step.
bool SoftIslands::take_joints(const ConstraintList& list, const BodyState& s, const JointTrees& trees) {
  const std::uint32_t awake = s.awake();
  if (list.version() != 0 && joints_version_ == list.version() && trees_revision_ == trees.revision() &&
      joints_awake_ == awake)
    return true;
  joints_version_ = list.version(), trees_revision_ = trees.revision(), joints_awake_ = awake;
  joined_.reset(awake);
  for (const StepJoint& joint : list.joints)
    if (joint.slot_a < awake && joint.slot_b < awake) joined_.unite(joint.slot_a, joint.slot_b);
  for (std::uint32_t i = 0; i < awake; ++i) joined_.root(i);  // short paths from now on
  joint_sets_.clear(), carried_.clear();
  std::vector<std::size_t> set_of(awake, list.joints.size());
  for (std::size_t k = 0; k < list.joints.size(); ++k) {
    const StepJoint& joint = list.joints[k];
    const std::uint32_t low = std::min(joint.slot_a, joint.slot_b), high = std::max(joint.slot_a, joint.slot_b);
    if (low >= awake) continue;
    std::size_t& set = set_of[joined_.root(low)];
    if (set == list.joints.size()) set = joint_sets_.size(), joint_sets_.push_back({low, {}});
    SoftIsland& island = joint_sets_[set].joined;
    island.has_joints = true;
    ++island.joints;
    island.is_held = island.is_held || high >= awake;
    island.is_powered = island.is_powered || drives(*joint.def);
    const JointRows left = k < trees.rows_left().size() ? trees.rows_left()[k] : JointRows::all;
    island.all_in_trees = island.all_in_trees && left != JointRows::all;
    island.is_plain = island.is_plain && left == JointRows::none;
    if (high >= awake && high < s.end(BodySet::kinematic)) carried_.push_back(static_cast<std::uint32_t>(k));
  }
  return false;
}

void SoftIslands::connect(const ConstraintList& list, const BodyState& s) {
  sets_ = joined_;
  const auto unite = [&](std::uint32_t a, std::uint32_t b) {
    if (a < s.awake() && b < s.awake()) sets_.unite(a, b);
  };
  for (const StepContact& c : list.contacts)
    if (c.points > 0) unite(c.slot_a, c.slot_b);
  island_of_.resize(s.awake());
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const std::uint32_t root = sets_.root(i);
    island_of_[i] = root == i ? count++ : island_of_[root];
  }
  islands_.assign(count, {});
}

void SoftIslands::describe(const ConstraintList& list, const BodyState& s) {
  const auto touched = [&](std::uint32_t a, std::uint32_t b) -> SoftIsland* {
    if (a >= s.awake() && b >= s.awake()) return nullptr;
    SoftIsland& island = islands_[island_of_[std::min(a, b)]];
    const std::uint32_t other = std::max(a, b);
    island.is_held = island.is_held || other >= s.awake();
    island.is_moved = island.is_moved || (other >= s.awake() && moves(s, other));
    return &island;
  };
  for (const auto& [slot, joined] : joint_sets_) {
    SoftIsland& island = islands_[island_of_[slot]];
    island.has_joints = true;
    island.joints += joined.joints;
    island.is_held = island.is_held || joined.is_held;
    island.is_powered = island.is_powered || joined.is_powered;
    island.all_in_trees = island.all_in_trees && joined.all_in_trees;
    island.is_plain = island.is_plain && joined.is_plain;
  }
  for (const std::uint32_t k : carried_) touched(list.joints[k].slot_a, list.joints[k].slot_b);
  for (const StepContact& c : list.contacts) {
    if (c.points == 0) continue;
    SoftIsland* island = touched(c.slot_a, c.slot_b);
    if (!island) continue;
    island->has_contacts = true, ++island->contacts;
    if (!is_belt(*c.contact)) continue;
    const bool is_fixed = std::max(c.slot_a, c.slot_b) >= s.awake();
    island->is_moved = island->is_moved || is_fixed;
    island->is_driven = island->is_driven || !is_fixed;
  }
  for (std::uint32_t i = 0; i < s.awake(); ++i)
    if (SoftIsland& island = islands_[island_of_[i]]; island.has_contacts)
      island.turn = std::max(island.turn, inertia_turn(s, i));
}

double SoftIslands::Extent::size() const { return kSizeUnit * static_cast<double>(size_sum) / bodies; }

double SoftIslands::Extent::acceleration() const { return std::max({push.x, push.y, push.z, pull.x, pull.y, pull.z}); }

/// Along the axes of which forces act, roughly.
double SoftIslands::Extent::height() const {
  const double least = 0.5 * acceleration();
  double height = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double mean = kSizeUnit * static_cast<double>(position_sum[static_cast<std::size_t>(axis)]) / bodies;
    if (pull[axis] > least) height = std::max(height, mean - low[axis]);
    if (push[axis] > least) height = std::max(height, high[axis] - mean);
  }
  return height;
}

/// Greenhill's ω² of a column with so many layers. It is as much smaller as its base is wider than one body; a wall that
/// stands obliquely to the axes is judged by the number of bodies in a layer instead.
double SoftIslands::Extent::sway2(double layers) const {
  const Vec3 d = high - low;
  const double side = std::min(1 + std::min({d.x, d.y, d.z}) / size(), std::sqrt(bodies / layers));
  return layers * layers * layers * acceleration() / (kGreenhill * size() * std::max(1.0, side));
}

bool SoftIslands::Extent::is_soft() const { return largest_mass <= kSolvedAtOnce * least_mass; }

bool SoftIslands::Extent::is_unlike() const {
  return largest_mass > kUnlike * least_mass || largest_inertia > kUnlike * least_inertia;
}

/// m: how far contacts may give way under the weight above them; 0: this is not limited. Stacks that hang between springs and corrections of depth
/// never come to rest, so it is half of the depth at which corrections begin: max_depth at bodies that heavier ones squeeze, elsewhere a part
/// of the thickness between max_depth and max_sag (DeepContacts::allowed).
double SoftIslands::Extent::most_sag(const Options& options) const {
  const double thin = kThin * thickness;
  if (is_unlike()) return std::min(thin, 0.5 * options.max_depth);
  return thin < options.max_sag ? std::min(thin, 0.5 * std::max(thin, options.max_depth)) : 0;
}

/// As if all stood on the lightest body.
double SoftIslands::Extent::column_load() const { return length(net_acceleration()) * mass / (0.5 * least_mass); }

/// As if all stood on the weakest contact, in every level.
double SoftIslands::Extent::column_sway2(double layers) const {
  const Vec3 a = net_acceleration();
  const double size = length(a);
  if (!(size > 0)) return 0;
  const Vec3 up = -(1 / size) * a;
  const Vec3 lowest{up.x > 0 ? low.x : high.x, up.y > 0 ? low.y : high.y, up.z > 0 ? low.z : high.z};
  const double tips = size * (dot(up, moment) - mass * (dot(up, lowest) - largest));
  return layers * tips / (0.5 * least_inertia) / kOfGreenhill;
}

void SoftIslands::find_extents(const BodyState& s) {
  extents_.assign(islands_.size(), {});
  for (std::uint32_t i = 0; i < s.awake(); ++i) {
    const SoftIsland& island = islands_[island_of_[i]];
    if (!island.is_held || island.contacts < kFewest) continue;
    Extent& e = extents_[island_of_[i]];
    const Vec3 &x = s.position[i], &I = s.inertia[i];
    const double sum = (I.x + I.y + I.z) * s.inverse_mass[i], largest = std::max({I.x, I.y, I.z}) * s.inverse_mass[i];
    const double thickness = std::sqrt(std::max(0.0, 6 * (sum - 2 * largest)));  // the least side, of a box
    const double mass = 1 / s.inverse_mass[i], least = std::min({I.x, I.y, I.z}), side = std::sqrt(2 * sum);
    if (e.bodies++ == 0) {
      e.low = e.high = x, e.thickness = thickness;
      e.least_mass = e.largest_mass = mass, e.least_inertia = e.largest_inertia = least;
    }
    e.mass += mass, e.moment += mass * x;
    e.least_mass = std::min(e.least_mass, mass), e.largest_mass = std::max(e.largest_mass, mass);
    e.least_inertia = std::min(e.least_inertia, least), e.largest_inertia = std::max(e.largest_inertia, least);
    e.largest = std::max(e.largest, side);
    for (int axis = 0; axis < 3; ++axis) {
      const double at = x[axis], acceleration = s.force[i][axis] * s.inverse_mass[i];
      e.low[axis] = std::min(e.low[axis], at), e.high[axis] = std::max(e.high[axis], at);
      e.push[axis] = std::max(e.push[axis], acceleration), e.pull[axis] = std::max(e.pull[axis], -acceleration);
      e.position_sum[static_cast<std::size_t>(axis)] += units(at);
    }
    e.thickness = std::min(e.thickness, thickness);
    e.size_sum += units(side) + 1;  // the side, of a cube
  }
}

/// Marks the islands that would buckle if they had as many layers as their height allows: these have to be counted.
void SoftIslands::find_tall(const Options& options) {
  for (std::size_t k = 0; k < islands_.size(); ++k) {
    const Extent& e = extents_[k];
    if (e.bodies < kFewest) continue;
    const double layers = std::min<double>(e.bodies, 1 + 2 * e.height() / std::max(e.thickness, kSizeUnit));
    SoftIsland bound;
    bound.sway2 = e.sway2(layers);
    const bool may_be_column = !islands_[k].has_joints && e.is_soft();
    if (may_be_column && e.is_unlike()) bound.sway2 = std::max(bound.sway2, e.column_sway2(layers));
    const double sag = e.most_sag(options);
    if (may_be_column && sag > 0) bound.sag2 = e.column_load() / sag;
    if (is_coarse(bound, options.count, options)) needs_depth_[k] = kTall;
  }
}

/// Neighbours of each node, by contacts of the islands whose depth is needed. Nodes on something that does not move are put into the queue.
void SoftIslands::connect_nodes(const ConstraintList& list, std::uint32_t awake) {
  const auto for_edges = [&](auto&& edge) {
    for (const StepContact& c : list.contacts) {
      const std::uint32_t low = std::min(c.slot_a, c.slot_b), high = std::max(c.slot_a, c.slot_b);
      if (c.points == 0 || low >= awake || !needs_depth_[island_of_[low]]) continue;
      if (needs_depth_[island_of_[low]] == kTall && !is_near(*c.contact, kNear * extents_[island_of_[low]].thickness))
        continue;
      edge(node_[low], high < awake ? node_[high] : kNoNode);
    }
  };
  first_neighbour_.assign(awake + std::size_t{1}, 0);
  for_edges([&](std::uint32_t a, std::uint32_t b) {
    if (b != kNoNode) ++first_neighbour_[a], ++first_neighbour_[b];
  });
  std::uint32_t sum = 0;
  for (std::uint32_t& n : first_neighbour_) sum += n, n = sum;
  neighbours_.resize(sum);
  level_.assign(awake, 0);
  queue_.clear();
  for_edges([&](std::uint32_t a, std::uint32_t b) {
    if (b != kNoNode) {
      neighbours_[--first_neighbour_[a]] = b, neighbours_[--first_neighbour_[b]] = a;
    } else if (level_[a] == 0) {
      level_[a] = 1, queue_.push_back(a);
    }
  });
}

/// Levels of bodies above what does not move, along the shortest way.
void SoftIslands::find_depths(const ConstraintList& list, const JointTrees& trees, std::uint32_t awake) {
  if (std::count(needs_depth_.begin(), needs_depth_.end(), kNoDepth) == std::ssize(needs_depth_)) return;
  node_.resize(awake);
  for (std::uint32_t i = 0; i < awake; ++i) node_[i] = i;
  for (const TreeRange& tree : trees.trees())
    for (std::size_t i = tree.begin; i < tree.end; ++i) node_[trees.links()[i].body] = trees.links()[tree.begin].body;
  connect_nodes(list, awake);
  for (std::size_t k = 0; k < queue_.size(); ++k) {
    const std::uint32_t node = queue_[k];
    SoftIsland& island = islands_[island_of_[node]];
    island.depth = static_cast<int>(level_[node]);  // levels never fall along the queue
    island.levels += level_[node], ++island.nodes;
    for (std::uint32_t n = first_neighbour_[node]; n < first_neighbour_[node + 1]; ++n)
      if (const std::uint32_t next = neighbours_[n]; level_[next] == 0)
        level_[next] = level_[node] + 1, queue_.push_back(next);
  }
}

/// Islands of unlike or thin bodies without joints.
void SoftIslands::find_columns(const ConstraintList& list, const BodyState& s, const Options& options) {
  columns_.begin(islands_.size());
  for (std::size_t k = 0; k < islands_.size(); ++k) {
    const Extent& e = extents_[k];
    if (needs_depth_[k] != kTall || islands_[k].has_joints || !e.is_soft()) continue;
    if (e.is_unlike() || e.most_sag(options) > 0)
      columns_.add_island(static_cast<std::uint32_t>(k), e.net_acceleration(), islands_[k].depth);
  }
  if (columns_.empty()) return;
  columns_.find(list, s, {level_, queue_, island_of_});
  for (std::size_t k = 0; k < islands_.size(); ++k) {
    const auto island = static_cast<std::uint32_t>(k);
    const Extent& e = extents_[k];
    if (e.is_unlike()) islands_[k].sway2 = std::max(islands_[k].sway2, columns_.sway2(island) / kOfGreenhill);
    if (const double sag = e.most_sag(options); sag > 0) islands_[k].sag2 = columns_.load(island) / sag;
  }
}

/// rad/s: ω of the springs of contacts with so many sub-steps.
double SoftIslands::angular_frequency(int count, const Options& options) {
  return 2 * std::numbers::pi * options.contact_stiffness * count / options.h;
}

/// Islands without joints in which a contact point of bodies at rest carries so much that its spring would give way by more than a part of max_sag: arches, whose thrust is a
/// multiple of the weight above, what is wedged, and what stands on an edge. The spring of a point is as stiff as its effective mass is heavy, k = m ω².
/// The impulses are those of the last step, which do not depend on the sub-steps it took.
void SoftIslands::find_loads(const ConstraintList& list, const BodyState& s, const Options& options) {
  const auto is_fast = [&](std::uint32_t slot, double speed) {
    return slot < s.awake() && !(length_squared(s.velocity[slot]) < speed * speed);
  };
  const double omega = angular_frequency(options.count, options), sag = kMostSag * options.max_sag;
  const double least = omega * omega * sag * options.h;  // N s/kg: what the springs of all sub-steps bear
  for (const StepContact& c : list.contacts) {
    const std::uint32_t low = std::min(c.slot_a, c.slot_b);
    if (c.points == 0 || low >= s.awake()) continue;
    double impulse = 0;
    for (int i = 0; i < c.points; ++i)
      impulse = std::max(impulse, c.contact->points[static_cast<std::size_t>(i)].normal_impulse);
    // The corner of a box has at most seven times the mobility of its center.
    if (8 * impulse * (s.inverse_mass[c.slot_a] + s.inverse_mass[c.slot_b]) < least) continue;
    SoftIsland& island = islands_[island_of_[low]];
    const Extent& e = extents_[island_of_[low]];
    if (island.has_joints || e.bodies < kFewest || e.bodies > kMostLoaded || !e.is_soft()) continue;
    const double speed = kAtRest * e.acceleration() * options.h;
    if (is_fast(c.slot_a, speed) || is_fast(c.slot_b, speed)) continue;
    for (int i = 0; i < c.points; ++i) {
      const ContactPoint& p = c.contact->points[static_cast<std::size_t>(i)];
      const double sag2 = p.normal_impulse * point_mobility(c, p, s) / (options.h * sag);
      island.sag2 = std::max(island.sag2, sag2);
      island.is_loaded = island.is_loaded || sag2 > omega * omega;
    }
  }
}

/// Whether its bodies turn too far in a sub-step, or contacts are so soft that it buckles or thin bodies sink in.
bool SoftIslands::is_coarse(const SoftIsland& island, int count, const Options& options) {
  const double omega = angular_frequency(count, options), omega2 = omega * omega;
  return island.turn * options.h > options.max_turn * count || island.sway2 > kSofter * omega2 || island.sag2 > omega2;
}

int SoftIslands::count_of(const SoftIsland& island, const Options& options) {
  if (!options.adapts) return options.count;
  const bool is_tree = options.has_trees && island.has_joints && island.all_in_trees;
  if (is_tree && island.is_plain && !island.has_contacts) return 1;
  int count = options.count;
  if (options.has_trees && has_joints_in_trees(island) && island.depth <= kShallow)
    count = static_cast<int>(std::ceil(options.shallow * options.count));
  int doublings = 0;
  while (is_coarse(island, count, options) && doublings < kMostDoublings) count *= 2, ++doublings;
  is_too_fast_ = is_too_fast_ || island.turn * options.h > options.max_turn * count;
  return count;
}

/// Islands that touch the same moving fixed body take the number of sub-steps of that which takes most.
void SoftIslands::share_kinematic(const ConstraintList& list, const BodyState& s) {
  const std::uint32_t first = s.awake(), end = s.end(BodySet::kinematic);
  const std::size_t islands = islands_.size();
  counts_.resize(islands + (end - first), 1);
  const auto share = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t low = std::min(a, b), high = std::max(a, b);
    if (low >= first || high < first || high >= end || !moves(s, high)) return false;
    int &island = counts_[island_of_[low]], &kinematic = counts_[islands + (high - first)];
    const int most = std::max(island, kinematic);
    const bool changed = island != most || kinematic != most;
    island = kinematic = most;
    return changed;
  };
  for (bool changed = first < end; changed;) {
    changed = false;
    for (const StepJoint& joint : list.joints) changed = share(joint.slot_a, joint.slot_b) || changed;
    for (const StepContact& c : list.contacts)
      if (c.points > 0) changed = share(c.slot_a, c.slot_b) || changed;
  }
}

void SoftIslands::list_numbers(const Options& options) {
  numbers_.clear();
  for (const int count : counts_)
    if (const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), count); at == numbers_.end() || *at != count)
      numbers_.insert(at, count);
  if (numbers_.empty()) numbers_.push_back(options.count);
}

std::uint8_t SoftIslands::pace_with(int count) const {
  return static_cast<std::uint8_t>(std::lower_bound(numbers_.begin(), numbers_.end(), count) - numbers_.begin());
}

void SoftIslands::choose_paces(const ConstraintList& list, const BodyState& s, const Options& options) {
  is_too_fast_ = false;
  counts_.clear();
  for (const SoftIsland& island : islands_) counts_.push_back(count_of(island, options));
  share_kinematic(list, s);
  list_numbers(options);
  paces_.resize(numbers_.size());
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    paces_[k].count = numbers_[k], paces_[k].sub_step = options.h / numbers_[k];
    paces_[k].slots.clear(), paces_[k].awake = 0;
  }
  for (std::size_t k = 0; k < islands_.size(); ++k) islands_[k].pace = pace_with(counts_[k]);
  pace_of_.resize(s.end(BodySet::kinematic));
  for (std::uint32_t i = 0; i < pace_of_.size(); ++i) {
    const bool is_awake = i < s.awake();
    pace_of_[i] = is_awake ? static_cast<std::uint8_t>(islands_[island_of_[i]].pace)
                           : pace_with(counts_[islands_.size() + (i - s.awake())]);
    Pace& to = paces_[pace_of_[i]];
    to.slots.push_back(i);
    if (is_awake) ++to.awake;
  }
  // Sums over an island are in the order of ids: slots depend on which other bodies are awake.
  const auto by_id = [&](std::uint32_t x, std::uint32_t y) { return s.id_index[x] < s.id_index[y]; };
  for (Pace& pace : paces_) {
    const auto end = pace.slots.begin() + static_cast<std::ptrdiff_t>(pace.awake);
    if (!std::is_sorted(pace.slots.begin(), end, by_id)) std::sort(pace.slots.begin(), end, by_id);
  }
}

// Sweeps.

namespace {

/// Chosen: at a hundredth the pyramids of the benchmarks stand as after all sweeps.
constexpr double kSettled = 0.01;

/// Times as many sweeps of islands with joints whose contacts are deep. Chosen: chains and rings whose links press on each other come apart.
constexpr int kDeepSweeps = 10;
/// Sweeps of tall and of loaded islands, in units of `iterations`. Chosen: arches of 41 stones are chains of as many contacts.
constexpr int kTallSweeps = 2, kLoadedSweeps = 4;

}  // namespace

void IslandSweeps::find_deep(const SoftIslands& islands, const ConstraintList& list, double depth) {
  is_deep_.assign(islands.islands().size(), 0);
  has_deep_ = false;
  if (list.joints.empty()) return;
  for (const StepContact& c : list.contacts) {
    const std::uint32_t slot = std::min(c.slot_a, c.slot_b);
    if (c.points == 0 || slot >= islands.island_of().size()) continue;
    const std::uint32_t island = islands.island_of()[slot];
    const SoftIsland& own = islands.islands()[island];
    if (is_deep_[island] || !own.has_joints || own.is_powered || own.is_moved || !is_near(*c.contact, -depth)) continue;
    is_deep_[island] = 1;
    has_deep_ = true;
  }
}

int IslandSweeps::sweeps_of(const SoftIslands& islands, std::uint32_t island, int iterations) const {
  if (is_deep_[island]) return kDeepSweeps * iterations;
  const SoftIsland& own = islands.islands()[island];
  return own.is_loaded ? kLoadedSweeps * iterations : own.is_tall ? kTallSweeps * iterations : iterations;
}

void IslandSweeps::begin(const SoftIslands& islands, const Pace& pace, const BodyState& s,
                         std::span<const Vec3> force) {
  kick_.assign(islands.islands().size(), 0);
  most_ = 1;
  for (std::size_t k = 0; k < pace.awake; ++k) {
    const std::uint32_t i = pace.slots[k], island = islands.island_of()[i];
    kick_[island] += length_squared((pace.sub_step * s.inverse_mass[i]) * force[i]);
    const SoftIsland& own = islands.islands()[island];
    most_ = std::max(most_, own.is_loaded ? kLoadedSweeps : own.is_tall ? kTallSweeps : 1);
  }
}

int IslandSweeps::most_sweeps(int iterations) const { return (has_deep_ ? kDeepSweeps : most_) * iterations; }

void IslandSweeps::remember(const Pace& pace, const StepBodies& bodies) {
  before_.resize(bodies.u.size());
  for (std::size_t k = 0; k < pace.awake; ++k) before_[pace.slots[k]] = bodies.u[pace.slots[k]].v;
}

IslandSweeps::Next IslandSweeps::find_unsettled(const SoftIslands& islands, const Pace& pace, const StepBodies& bodies,
                                                int sweeps, int iterations) {
  const std::span<const std::uint32_t> island_of = islands.island_of();
  change_.assign(kick_.size(), 0), needs_.assign(kick_.size(), 0);
  for (std::size_t k = 0; k < pace.awake; ++k) {
    const std::uint32_t i = pace.slots[k];
    const Vec3& v = bodies.u[i].v;
    change_[island_of[i]] += length_squared(v - before_[i]);
    before_[i] = v;
  }
  bool any = false, all = true;
  std::uint32_t last = ~0U;
  for (std::size_t k = 0; k < pace.awake; ++k) {
    const std::uint32_t island = island_of[pace.slots[k]];
    if (island == last || !islands.islands()[island].has_contacts) continue;
    last = island;
    needs_[island] =
        !(change_[island] <= kSettled * kSettled * kick_[island]) && sweeps < sweeps_of(islands, island, iterations);
    any = any || needs_[island], all = all && needs_[island];
  }
  return !any ? Next::none : all ? Next::all : Next::some;
}

}  // namespace rigor
