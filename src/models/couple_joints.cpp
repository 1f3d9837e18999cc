// q = offset + ratio q_leader as gears between coordinates of the scene's joints.
//
// A gear acts on two bodies, so it couples two joints of which at most two bodies move, or which have one axis each and share a body
// (constraints/gear_joint.cpp). All others are made of such gears:
//   - Joints that follow the same one, or each other, are a set in which every pair has a ratio. Joints of a set that share a body are coupled
//     directly: a distal phalanx that follows the first one is coupled to the middle one if that follows the first one as well.
//   - Two hinges on one axis and two sliders in one direction have no gear of their own, as the teeth of such wheels would be on the shaft. A light
//     wheel on the shared body about an axis across both is geared to each of them: the bevel wheel of a differential, the pinion between two racks.
#include "models/couple_joints.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "math/disjoint_sets.h"
#include "rigor/error.h"
#include "rigor/joint_types.h"

namespace rigor::models {

namespace {

/// A wheel between two joints has this part of the lightest mass of its three bodies. Chosen, as that of bodies between the joints of a link.
constexpr double kWheelShare = 1e-4;
/// Wheels that were taken out again. Removing a body takes a time in proportion to the model, so a file cannot ask for thousands of them.
constexpr int kMostFailed = 20;
/// Ratios between joints of a set, beyond which rounding decides.
constexpr double kLeastRatio = 1e-9, kMostRatio = 1e9;

using Index = std::uint32_t;

class Coupler {
 public:
  Coupler(const JointPlaces& places, World& world, const CouplingParts& parts, Ledger& ledger)
      : places_(places), world_(world), parts_(parts), ledger_(ledger), sets_(0), geared_(0) {}

  void add(const std::vector<Mimic>& mimics) {
    for (const Mimic& mimic : mimics) mimic.where.attempt([&] { collect(mimic); });
    sets_.reset(coordinates_.size());
    geared_.reset(coordinates_.size());
    ratios_.assign(coordinates_.size(), 1);
    find_ratios();
    for (Coupling& c : couplings_) c.mimic->where.attempt([&] { c.done = couple_directly(c); });
    couple_within_sets();
    for (const Coupling& c : couplings_) report(c);
  }

 private:
  struct Coordinate {
    JointId joint;
    int axis = 0;
  };
  struct Coupling {
    const Mimic* mimic = nullptr;
    Index own = 0, leader = 0;
    double ratio = 1, offset = 0;  // of coordinates of the scene: own = offset + ratio leader
    bool done = false;             // by a gear of its own
  };

  Index index_of(const JointPlace& place) {
    const auto [found, is_new] =
        indices_.try_emplace({place.id.index, place.axis}, static_cast<Index>(coordinates_.size()));
    if (is_new) coordinates_.push_back({place.id, place.axis});
    return found->second;
  }

  void collect(const Mimic& mimic) {
    const auto own = places_.find(mimic.joint), leader = places_.find(mimic.leader);
    if (own == places_.end() || leader == places_.end() || !own->second.id || !leader->second.id) {
      ledger_.skip(mimic.where, ModelNote::Kind::ignored,
                   "one of the two joints is not there or has no coordinate; they move apart");
      return;
    }
    const JointPlace &q = own->second, &p = leader->second;
    // sign_q q = offset + ratio sign_p p  ⇔  q − (ratio sign_p sign_q) p = const
    const double ratio = mimic.ratio * p.sign * q.sign;
    if (ratio == 0) return lock(mimic, q);
    couplings_.push_back({&mimic, index_of(q), index_of(p), ratio, mimic.offset * q.sign});
  }

  /// A ratio of zero: the joint rests at its offset, where it starts.
  void lock(const Mimic& mimic, const JointPlace& q) {
    AxesJoint kind = std::get<AxesJoint>(world_.joint(q.id).kind);
    JointAxis& axis = kind.axes[static_cast<std::size_t>(q.axis)];
    axis.motion = AxisMotion::limited;
    axis.lower = axis.upper = world_.joint_position(q.id, q.axis);
    world_.set_joint(q.id, kind);
    parts_.check_joint(mimic.where, q.id);
    ledger_.remark(mimic.where, ModelNote::Kind::replaced, "its ratio is zero; the joint is held at its offset");
  }

  // ---- ratios within sets: coordinate = ratio · that of the first one + constant -------------------------------

  void find_ratios() {
    std::vector<std::vector<std::pair<Index, double>>> edges(coordinates_.size());
    for (const Coupling& c : couplings_)
      if (sets_.unite(c.own, c.leader)) {
        edges[c.leader].emplace_back(c.own, c.ratio);
        edges[c.own].emplace_back(c.leader, 1 / c.ratio);
      }
    std::vector<bool> found(coordinates_.size(), false);
    std::vector<Index> waiting;
    for (Index first = 0; first < coordinates_.size(); ++first) {
      if (found[first]) continue;
      found[first] = true;
      waiting.assign(1, first);
      while (!waiting.empty()) {
        const Index i = waiting.back();
        waiting.pop_back();
        for (const auto& [other, ratio] : edges[i])
          if (!found[other]) {
            found[other] = true;
            ratios_[other] = ratios_[i] * ratio;
            waiting.push_back(other);
          }
      }
    }
  }

  // ---- gears ---------------------------------------------------------------------------------------------------

  /// Adds first = ratio · second + const. False if no gear couples the two.
  bool add_gear(const Element& where, const std::string& name, const Coordinate& first, const Coordinate& second,
                double ratio) {
    JointId gear;
    try {
      JointDef def = gear_joint(world_, first.joint, second.joint, -ratio, first.axis, second.axis);
      def.name = parts_.joint_name(name);
      gear = world_.add_joint(def);
    } catch (const Error&) {
      return false;
    }
    parts_.check_joint(where, gear);
    return true;
  }

  bool couple_directly(const Coupling& c) {
    if (!add_gear(c.mimic->where, c.mimic->joint + "_follows", coordinates_[c.own], coordinates_[c.leader], c.ratio) &&
        !add_wheel(c.mimic->where, c.mimic->joint, c.own, c.leader, c.ratio))
      return false;
    geared_.unite(c.own, c.leader);
    const auto value = [&](Index i) { return world_.joint_position(coordinates_[i].joint, coordinates_[i].axis); };
    double error = value(c.own) - c.ratio * value(c.leader) - c.offset;
    if (coordinates_[c.own].axis >= 3) error = std::remainder(error, 2 * kPi);
    if (std::abs(error) > 1e-9)
      ledger_.remark(c.mimic->where, ModelNote::Kind::replaced,
                     "the offset is the one that the joints have in the file's pose");
    return true;
  }

  /// Couples the coordinates of a set that share a body, in their order, unless gears couple them already.
  void couple_within_sets() {
    std::map<Index, const Mimic*> open;  // by set: one that has no gear of its own
    for (const Coupling& c : couplings_)
      if (!c.done) open.emplace(sets_.root(c.own), c.mimic);
    std::map<std::pair<Index, std::uint32_t>, Index> last_on;  // by set and body
    for (Index i = 0; i < coordinates_.size(); ++i) {
      const auto found = open.find(sets_.root(i));
      if (found == open.end()) continue;
      for (const BodyId body : {world_.joint(coordinates_[i].joint).a, world_.joint(coordinates_[i].joint).b}) {
        const auto [entry, is_new] = last_on.try_emplace({sets_.root(i), body.index}, i);
        Index& last = entry->second;
        const Index other = last;
        if (is_new || geared_.root(i) == geared_.root(other)) continue;
        const double ratio = ratios_[i] / ratios_[other];
        const Mimic& mimic = *found->second;
        if (!(std::abs(ratio) >= kLeastRatio && std::abs(ratio) <= kMostRatio)) continue;
        mimic.where.attempt([&] {
          const std::string name = world_.joint(coordinates_[i].joint).name;  // a copy: joints are added
          if (add_gear(mimic.where, name + "_follows", coordinates_[i], coordinates_[other], ratio) ||
              add_wheel(mimic.where, name, i, other, ratio)) {
            geared_.unite(i, other);
            last = i;
          }
        });
      }
    }
  }

  void report(const Coupling& c) {
    if (!c.done && geared_.root(c.own) != geared_.root(c.leader))
      ledger_.skip(c.mimic->where, ModelNote::Kind::ignored,
                   "no gear couples these two joints: other joints that do not follow lie between them, or they have "
                   "several axes; they move apart");
  }

  // ---- wheels --------------------------------------------------------------------------------------------------

  /// The moving body that two joints with one free axis each share.
  std::optional<BodyId> shared_body(const JointDef& one, const JointDef& two) const {
    for (const JointDef* joint : {&one, &two}) {
      const AxesJoint* kind = std::get_if<AxesJoint>(&joint->kind);
      if (!kind || std::count_if(kind->axes.begin(), kind->axes.end(),
                                 [](const JointAxis& a) { return a.motion != AxisMotion::locked; }) != 1)
        return std::nullopt;
    }
    for (const BodyId body : {one.a, one.b})
      if ((body == two.a || body == two.b) && !world_.is_fixed(body)) return body;
    return std::nullopt;
  }

  /// Adds own = ratio · leader + const by a wheel on the body that the two joints share. False if they share none.
  bool add_wheel(const Element& where, const std::string& name, Index own, Index leader, double ratio) {
    const Coordinate &q = coordinates_[own], &p = coordinates_[leader];
    const JointDef &own_joint = world_.joint(q.joint), &leader_joint = world_.joint(p.joint);
    const std::optional<BodyId> shared = shared_body(own_joint, leader_joint);
    if (!shared || q.joint == p.joint || failed_wheels_ >= kMostFailed) return false;
    const Transform& frame = leader_joint.frame_a;
    const Vec3 anchor = world_.to_world(leader_joint.a, frame.translation);
    Vec3 unit_axis;
    unit_axis[p.axis % 3] = 1;
    const Vec3 end = world_.to_world(leader_joint.a, frame.translation + rotate(frame.rotation, unit_axis));
    Vec3 across, unused;
    tangents(normalized(end - anchor), across, unused);
    const BodyId driver = leader_joint.a == *shared ? leader_joint.b : leader_joint.a;
    const BodyId driven = own_joint.a == *shared ? own_joint.b : own_joint.a;
    const MassProperties& m = world_.mass_properties(driver);
    const double radius = std::sqrt(trace(m.inertia) / (2 * m.mass));  // of gyration, m
    const double turns = p.axis < 3 ? 1 / radius : 1;                  // of the wheel by the leader, rad/m or 1
    BodyDef wheel;
    wheel.name = parts_.body_name(name + "_wheel");
    wheel.shape = sphere(1e-3);
    wheel.can_collide = false;
    wheel.mass = kWheelShare * std::min({m.mass, world_.mass_properties(driven).mass, mass_of(*shared)});
    wheel.inertia = Mat3::diagonal(Vec3{1, 1, 1} * (*wheel.mass * radius * radius));
    wheel.position = anchor;
    wheel.gravity_factor = world_.body_def(*shared).gravity_factor;
    const Vec3 spin = world_.angular_velocity(*shared);
    wheel.velocity = world_.velocity(*shared) + cross(spin, anchor - world_.center_of_mass(*shared));
    wheel.angular_velocity = spin + turns * world_.joint_velocity(p.joint, p.axis) * across;
    const double share = *wheel.mass;
    const MassProperties before = world_.mass_properties(*shared);
    const BodyId id = world_.add_body(wheel);
    take_mass(*shared, share, anchor);
    parts_.check_body(where, id);
    JointDef hinge = hinge_joint(world_, *shared, id, anchor, across);
    hinge.name = parts_.joint_name(name + "_wheel");
    const JointId shaft = world_.add_joint(hinge);
    parts_.check_joint(where, shaft);
    const Coordinate turn{shaft, joint_axis::about_x};
    if (!add_gear(where, name + "_drives_wheel", turn, p, turns) ||
        !add_gear(where, name + "_follows", q, turn, ratio / turns)) {
      ++failed_wheels_;
      world_.remove_body(id);
      world_.set_mass(*shared, before.mass, before.inertia, before.center_of_mass);
      return false;
    }
    ledger_.remark(where, ModelNote::Kind::replaced,
                   "the two joints have one axis; a wheel of a ten thousandth of the mass on the body between them "
                   "couples them");
    return true;
  }

  double mass_of(BodyId id) const { return world_.mass_properties(id).mass; }

  /// Mass and center of the shared body and the wheel together stay as they were.
  void take_mass(BodyId id, double mass, const Vec3& at) {
    const MassProperties before = world_.mass_properties(id);
    const Vec3 center = (before.mass * before.center_of_mass - mass * world_.to_body(id, at)) / (before.mass - mass);
    world_.set_mass(id, before.mass - mass, before.inertia, center);
  }

  const JointPlaces& places_;
  World& world_;
  const CouplingParts& parts_;
  Ledger& ledger_;
  std::vector<Coordinate> coordinates_;
  std::map<std::pair<std::uint32_t, int>, Index> indices_;  // by joint and axis
  std::vector<Coupling> couplings_;
  std::vector<double> ratios_;  // by coordinate: of its rate to that of the first one of its set
  int failed_wheels_ = 0;
  DisjointSets sets_, geared_;  // coordinates that mimics connect, and that gears couple
};

}  // namespace

void couple_joints(const std::vector<Mimic>& mimics, const JointPlaces& places, World& world,
                   const CouplingParts& parts, Ledger& ledger) {
  Coupler(places, world, parts, ledger).add(mimics);
}

}  // namespace rigor::models
