// Reports energy that no force explains. The sum over all steps of ΔE, E = K + P, must stay below
//
//   W + share · (K_max + W),   W = W_motor + W_drive + W_push + W_joint + W_step
//
//   W_motor   Σ F_max |q̇| h over motors with a bound; a velocity motor works up to 1.5 times its target speed only
//   W_drive   ½ M (4 u)², u the sum of the speeds of unbounded motors, belts and bodies of infinite mass, M the mass of all bodies
//   W_push    Σ ½ m (3 m/s + 0.3 d / h)² over bodies that overlap by d when the account begins, by more than a first step makes, and M g d for the
//             deepest contact
//   W_joint   ½ M (d / h)² + M g Σ d for joints that are open by d when the account begins (constraints/closing_energy.h)
//   W_step    Σ m g h (v + g h), the largest so far: what a step of first order misses of free fall
//
// The terms are those of `rigor torture` (docs/torture.md). What a user changes between two steps does not count. The account
// begins again when a body, joint or force is added or removed, and after steps in which the application pushes a body. Worlds with forces that have no potential (explosions, wind, a
// program's own) are not checked. It changes nothing. Cost: sums over bodies, joints and contacts.
#include <algorithm>
#include <cmath>

#include "constraints/closing_energy.h"
#include "math/disjoint_sets.h"
#include "registry/entry.h"
#include "rigor/forces.h"
#include "rigor/shape.h"
#include "state/object_names.h"
#include "validate/validator.h"

namespace rigor {

namespace {

/// True if the force's work is in its potential, or never positive.
bool is_accounted_for(const ForceEffect& force) {
  if (const auto* drag = dynamic_cast<const Drag*>(&force)) return drag->fluid_velocity == Vec3{};
  if (const auto* water = dynamic_cast<const Buoyancy*>(&force)) return water->flow == Vec3{};
  return dynamic_cast<const Gravity*>(&force) || dynamic_cast<const Spring*>(&force) ||
         dynamic_cast<const Gravitation*>(&force) || dynamic_cast<const Magnets*>(&force);
}

/// The largest gravity factor of a body, without its sign.
double largest_gravity_factor(const World& world) {
  double largest = 1;
  for (const double factor : world.gravity_factors()) largest = std::max(largest, std::abs(factor));
  return largest;
}

double gravity_of(const World& world) {
  if (!world.contains(world.gravity())) return 0;
  const auto* gravity = dynamic_cast<const Gravity*>(world.force(world.gravity()).effect.get());
  return gravity ? largest_gravity_factor(world) * length(gravity->acceleration) : 0;
}

/// True if the application pushes bodies by forces without a potential.
bool has_pushes(const World& world) {
  const BodyState& s = world.state();
  const auto is_pushed = [](const Vec3& v) { return v != Vec3{}; };
  return !world.step_forces().empty() || std::any_of(s.user_force.begin(), s.user_force.end(), is_pushed) ||
         std::any_of(s.user_torque.begin(), s.user_torque.end(), is_pushed);
}

bool has_motors(const JointDef& joint) {
  const auto* axes = std::get_if<AxesJoint>(&joint.kind);
  return axes && joint.active && std::any_of(axes->axes.begin(), axes->axes.end(), [](const JointAxis& axis) {
           return axis.motor.kind != AxisMotor::Kind::none;
         });
}

/// What follows from the definitions of a world, so that it is collected only when they change.
struct Definitions {
  std::uint64_t version = 0;  // of the world; 0: not collected yet
  double population = 0;      // changes when a body, joint or force is added or removed; each count is far below 10⁵
  bool is_accounted_for = false;  // the work of all forces
  double gravity = 0;             // m/s², the largest
  double mass = 0;                // kg, of all bodies that move
  struct Mover {
    BodyId id;
    double mass;  // kg
  };
  std::vector<Mover> moving;     // in the order of creation
  std::vector<JointId> motors;   // joints with motors, in the order of creation
  std::vector<BodyId> carriers;  // fixed bodies, and bodies whose surface moves, in the order of creation

  void collect(const World& world);
};

void Definitions::collect(const World& world) {
  if (version == world.definitions_version()) return;
  version = world.definitions_version();
  const std::vector<ForceId> forces = world.forces();
  population = 1 + static_cast<double>(world.body_count()) + 1e5 * static_cast<double>(world.joint_count()) +
               1e10 * static_cast<double>(forces.size());
  is_accounted_for = std::all_of(forces.begin(), forces.end(),
                                 [&](ForceId id) { return rigor::is_accounted_for(*world.force(id).effect); });
  gravity = gravity_of(world);
  mass = 0;
  moving.clear();
  motors.clear();
  carriers.clear();
  for (const BodyId id : world.bodies()) {
    if (id == world.world_body()) continue;
    const BodyDef& def = world.body_def(id);
    if (def.fixed || def.material.surface_velocity != Vec3{}) carriers.push_back(id);
    if (def.fixed) continue;
    moving.push_back({id, world.mass_properties(id).mass});
    mass += moving.back().mass;
  }
  for (const JointId id : world.joints())
    if (has_motors(world.joint(id))) motors.push_back(id);
}

/// Power of motors and speeds of drives at the end of a step.
struct Drives {
  double power = 0;  // W, of motors with a bound
  double speed = 0;  // m/s, of everything else that moves bodies by itself
};

void add_motors(const World& world, JointId id, Drives& drives) {
  const JointDef& joint = world.joint(id);
  const auto* axes = std::get_if<AxesJoint>(&joint.kind);
  if (!axes || !joint.active) return;
  for (int k = 0; k < 6; ++k) {
    const AxisMotor& motor = axes->axes[static_cast<std::size_t>(k)].motor;
    if (motor.kind == AxisMotor::Kind::none) continue;
    if (std::isfinite(motor.max_force)) {
      double rate = std::abs(world.joint_velocity(id, k));
      if (motor.kind == AxisMotor::Kind::velocity) rate = std::min(rate, 1.5 * std::abs(motor.target));
      drives.power += motor.max_force * rate;
      continue;
    }
    double arm = 1;
    if (k >= 3)
      for (const BodyId body : {joint.a, joint.b})
        if (const double r = world.body_def(body).shape->bounding_radius(); std::isfinite(r)) arm += 2 * r;
    drives.speed += std::abs(motor.target) * arm;
  }
}

Drives find_drives(const World& world, const Definitions& definitions) {
  Drives drives;
  for (const JointId id : definitions.motors) add_motors(world, id, drives);
  for (const BodyId id : definitions.carriers) {
    const BodyDef& def = world.body_def(id);
    drives.speed += length(def.material.surface_velocity);
    if (!def.fixed) continue;
    const double r = def.shape->bounding_radius();
    drives.speed += length(world.velocity(id)) + (std::isfinite(r) ? r * length(world.angular_velocity(id)) : 0);
  }
  return drives;
}

bool has_unbounded_motor(const JointDef& joint) {
  const auto* axes = std::get_if<AxesJoint>(&joint.kind);
  return axes && std::any_of(axes->axes.begin(), axes->axes.end(), [](const JointAxis& axis) {
           return axis.motor.kind != AxisMotor::Kind::none && !std::isfinite(axis.motor.max_force);
         });
}

/// True if a motor without a bound on its force drives a body that joints and contacts connect to this one. Fixed bodies connect nothing.
bool may_be_driven_without_bound(const ValidatorContext& c, const Definitions& definitions, BodyId body) {
  const World& world = c.world;
  const auto moves = [&](BodyId id) {
    return world.contains(id) && id != world.world_body() && !world.body_def(id).fixed;
  };
  DisjointSets islands(world.id_capacity());
  const auto connect = [&](BodyId a, BodyId b) {
    if (moves(a) && moves(b)) islands.unite(a.index, b.index);
  };
  for (const JointId id : world.joints())
    if (world.joint(id).active && !world.joint_state(id).broken) connect(world.joint(id).a, world.joint(id).b);
  for (const Contact& contact : c.contacts) connect(contact.a, contact.b);
  return std::any_of(definitions.motors.begin(), definitions.motors.end(), [&](JointId id) {
    const JointDef& joint = world.joint(id);
    if (!has_unbounded_motor(joint) || world.joint_state(id).broken) return false;
    const auto is_near = [&](BodyId end) { return moves(end) && islands.root(end.index) == islands.root(body.index); };
    return is_near(joint.a) || is_near(joint.b);
  });
}

class UnexplainedEnergy final : public Validator {
 public:
  void fields(FieldVisitor& v) override {
    v.number("share", share_,
             {"1", kPositive, 1e6,
              "tolerated gain beyond the explained energy, relative to the energy that the world exchanges"});
  }

  void begin(ValidatorContext& c) override {
    Account account(c.memory);
    definitions_.collect(c.world);
    const bool is_pushed = has_pushes(c.world);
    if (account.population != definitions_.population) {
      account = {};
      account.population = definitions_.population;
      account.kinetic = c.world.kinetic_energy();
      account.deepest = kUnknown;
      if (!is_pushed) account.work = closing_energy(c.world, c.h, definitions_.mass, definitions_.gravity);
    }
    if (is_pushed) account.population = -1;  // not checked; the account begins again after it
    account.at_start = c.world.kinetic_energy() + c.world.potential_energy(c.time);
    account.write(c.memory);
  }

  void validate(ValidatorContext& c) override {
    Account account(c.memory);
    definitions_.collect(c.world);
    if (account.population != definitions_.population || !definitions_.is_accounted_for) return;
    const double kinetic = c.world.kinetic_energy();
    account.gained += kinetic + c.world.potential_energy(c.time) - account.at_start;
    account.kinetic = std::max(account.kinetic, kinetic);
    add_work(c, account);
    const double mass = definitions_.mass;
    const Drives drives = find_drives(c.world, definitions_);
    account.work += drives.power * c.h;
    const double explained = account.work + 0.5 * mass * 16 * drives.speed * drives.speed + account.missed +
                             mass * definitions_.gravity * account.deepest;
    const double excess = account.gained - explained - share_ * (account.kinetic + explained);
    if (excess > 0 && account.gained > 10 * account.said) report(c, account, explained);
    account.write(c.memory);
  }

 private:
  static constexpr double kUnknown = -1;

  /// The validator's memory with named fields, J and m.
  struct Account {
    double population = 0;
    double at_start = 0;  // E before the step
    double gained = 0;    // sum of ΔE
    double kinetic = 0;   // the largest so far
    double work = 0;      // of motors with a bound, and of overlaps and open joints at the beginning
    double missed = 0;    // W_step
    double deepest = 0;   // m; kUnknown before the first step
    double said = 0;      // gain that was reported last

    Account() = default;
    explicit Account(const ValidatorMemory& m)
        : population(m.numbers[0]),
          at_start(m.numbers[1]),
          gained(m.numbers[2]),
          kinetic(m.numbers[3]),
          work(m.numbers[4]),
          missed(m.numbers[5]),
          deepest(m.numbers[6]),
          said(m.numbers[7]) {}
    void write(ValidatorMemory& m) const {
      m.numbers = {population, at_start, gained, kinetic, work, missed, deepest, said};
    }
  };

  /// W_step, the deepest contact and, when the account begins, the push of overlaps.
  void add_work(const ValidatorContext& c, Account& account) const {
    const double g = definitions_.gravity;
    double missed = 0, deepest = 0;
    for (const Definitions::Mover& body : definitions_.moving)
      missed += body.mass * g * c.h * (length(c.world.velocity(body.id)) + g * c.h);
    for (const Contact& contact : c.contacts)
      for (int i = 0; i < contact.count; ++i)
        deepest = std::max(deepest, -contact.points[static_cast<std::size_t>(i)].separation);
    const bool begins = account.deepest == kUnknown;
    // Touching bodies are not pushed, and a step sinks them by g h² if their solver does not converge. Overlaps count from 0.1 mm + 2 g h²
    // on; both are chosen.
    if (begins && deepest > 1e-4 + 2 * g * c.h * c.h) {
      const double push = 3 + 0.3 * deepest / c.h;
      account.work += 0.5 * definitions_.mass * push * push;
    }
    account.missed = std::max(account.missed, missed);
    account.deepest = std::max(account.deepest, deepest);
  }

  void report(ValidatorContext& c, Account& account, double explained) const {
    BodyId fastest;
    double speed = -1;
    for (const BodyId id : c.world.bodies())
      if (id != c.world.world_body() && !c.world.body_def(id).fixed && length(c.world.velocity(id)) > speed) {
        speed = length(c.world.velocity(id));
        fastest = id;
      }
    account.said = account.gained;
    c.reports.push_back("the energy has grown by " + report_number(account.gained) +
                        " J until t = " + report_number(c.time) + " s, of which " + report_number(explained) +
                        " J are explained; the fastest body is " + report_name(c.world, fastest) + " with " +
                        report_number(speed) + " m/s; " +
                        (may_be_driven_without_bound(c, definitions_, fastest)
                             ? "motors without a bound on their force may have done this work"
                             : "a smaller step may help"));
  }

  double share_ = 0.05;
  Definitions definitions_;
};

}  // namespace

Entry register_unexplained_energy() {
  return {Kind::validator,
          "unexplained-energy",
          "reports energy that no motor, force, overlap or open joint explains",
          "Garstenauer 2006, 7.5.6",
          {},
          make_default<UnexplainedEnergy>,
          {}};
}

}  // namespace rigor
