#include "lab/torture/energy_account.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "constraints/joint_survey.h"

namespace rigor {

namespace {

Vec3 gravity_of(const World& world) {
  if (!world.contains(world.gravity())) return {};
  const auto* gravity = dynamic_cast<const Gravity*>(world.force(world.gravity()).effect.get());
  return gravity ? gravity->acceleration : Vec3{};
}

bool has_springs(const World& world) {
  for (const ForceId id : world.forces())
    if (dynamic_cast<const Spring*>(world.force(id).effect.get())) return true;
  for (const JointId id : world.joints()) {
    const JointDef& def = world.joint(id);
    if (const auto* rod = std::get_if<DistanceJoint>(&def.kind); rod && std::isfinite(rod->stiffness)) return true;
    const auto* axes = std::get_if<AxesJoint>(&def.kind);
    if (!axes) continue;
    if (std::isfinite(axes->stiffness)) return true;
    for (const JointAxis& axis : axes->axes)
      if (axis.spring.stiffness > 0 || axis.motor.kind == AxisMotor::Kind::servo) return true;
  }
  return false;
}

/// Twice the sum of the bounding radii of all jointed bodies.
double jointed_size(const World& world, const std::vector<BodyId>& bodies) {
  std::vector<BodyId> jointed;
  for (const JointId id : world.joints()) {
    jointed.push_back(world.joint(id).a);
    jointed.push_back(world.joint(id).b);
  }
  double size = 0;
  for (const BodyId id : bodies)
    if (std::find(jointed.begin(), jointed.end(), id) != jointed.end())
      size += 2 * world.body_def(id).shape->bounding_radius();
  return size;
}

/// The two bodies and all that joints connect with them; fixed bodies connect nothing.
std::vector<BodyId> connected(const World& world, BodyId first, BodyId second) {
  std::vector<BodyId> group;
  const auto has = [&](BodyId id) { return std::find(group.begin(), group.end(), id) != group.end(); };
  const auto add = [&](BodyId id) {
    const bool is_new = id != world.world_body() && !world.is_fixed(id) && !has(id);
    if (is_new) group.push_back(id);
    return is_new;
  };
  add(first);
  add(second);
  for (bool changes = true; changes;) {
    changes = false;
    for (const JointId id : world.joints()) {
      const BodyId a = world.joint(id).a, b = world.joint(id).b;
      if (has(a) || has(b)) changes = add(a) || add(b) || changes;
    }
  }
  return group;
}

/// The largest distance of two bodies, with their radii.
double extent(const World& world, const std::vector<BodyId>& bodies) {
  double size = 0;
  for (const BodyId a : bodies)
    for (const BodyId b : bodies)
      size =
          std::max(size, length(world.center_of_mass(a) - world.center_of_mass(b)) +
                             world.body_def(a).shape->bounding_radius() + world.body_def(b).shape->bounding_radius());
  return size;
}

double spring_energy(const World& world) {
  double sum = joint_potential_energy(world);
  for (const ForceId id : world.forces())
    if (dynamic_cast<const Spring*>(world.force(id).effect.get())) {
      World only = world;  // of one spring: all other forces off
      for (const ForceId other : only.forces())
        if (other != id) only.set_force_active(other, false);
      sum += only.potential_energy(0) - joint_potential_energy(only);
    }
  return sum;
}

bool has_motors(const World& world) {
  for (const JointId id : world.joints())
    if (const auto* axes = std::get_if<AxesJoint>(&world.joint(id).kind))
      for (const JointAxis& axis : axes->axes)
        if (axis.motor.kind != AxisMotor::Kind::none) return true;
  return false;
}

/// The speed that bodies of infinite mass give to others.
double drive_speed(const World& world) {
  double speed = 0;
  for (const BodyId id : world.bodies()) {
    if (id == world.world_body()) continue;
    const BodyDef& def = world.body_def(id);
    speed += length(def.material.surface_velocity);
    if (!def.fixed) continue;
    const double r = def.shape->bounding_radius();
    speed += length(world.velocity(id));
    if (std::isfinite(r)) speed += r * length(world.angular_velocity(id));
  }
  return speed;
}

}  // namespace

EnergyAccount::EnergyAccount(const World& world, const std::vector<BodyId>& bodies, const ContactList& contacts,
                             double h)
    : gravity_(gravity_of(world)), h_(h) {
  for (const BodyId id : bodies) {
    const MassProperties& m = world.mass_properties(id);
    const Vec3 moments = principal_axes(m.inertia).moments;
    bodies_.push_back({id, m.mass, std::min({moments.x, moments.y, moments.z}), world.center_of_mass(id)});
  }
  if (has_springs(world)) tolerance_ = 0.15;
  start_ = world.kinetic_energy() + world.potential_energy(0);
  exchange_ = world.kinetic_energy() + spring_energy(world);
  note_motors(world);
  note_hauled(world);
  note_overlaps(contacts);
  const double g = length(gravity_);
  for (const Mass& m : bodies_) {
    start_speed_ = std::max(start_speed_, length(world.velocity(m.id)));
    const double height = g > 0 ? -dot(gravity_, m.start) / g : 0;
    highest_ = m.id == bodies_.front().id ? height : std::max(highest_, height);
  }
  moves_only_ = mover_speed_ > 0 && push_ == 0 && tolerance_ < 0.1 && !has_motors(world);
  if (moves_only_) note_joined(world);
}

void EnergyAccount::note_joined(const World& world) {
  std::map<BodyId, double> mass_of;
  for (const Mass& m : bodies_) mass_of[m.id] = m.mass;
  for (Mass& m : bodies_) {
    std::vector<BodyId> joined = connected(world, m.id, m.id);
    if (joined.size() < 2) continue;
    double mass = 0;
    for (const BodyId id : joined) mass += mass_of[id];
    m.lever = std::sqrt(mass / m.mass);
    m.joined = std::move(joined);
  }
}

void EnergyAccount::note_motors(const World& world) {
  std::vector<BodyId> ids;
  for (const Mass& m : bodies_) {
    ids.push_back(m.id);
    mass_ += m.mass;
  }
  const double size = jointed_size(world, ids);
  drive_speed_ = mover_speed_ = drive_speed(world);
  for (const JointId id : world.joints()) {
    const auto* axes = std::get_if<AxesJoint>(&world.joint(id).kind);
    for (int k = 0; axes && k < 6; ++k) {
      const AxisMotor& motor = axes->axes[static_cast<std::size_t>(k)].motor;
      if (motor.kind == AxisMotor::Kind::none) continue;
      const bool is_velocity = motor.kind == AxisMotor::Kind::velocity;
      if (std::isfinite(motor.max_force))
        motors_.push_back({id, k, motor.max_force, is_velocity ? 1.5 * std::abs(motor.target) : kUnbounded});
      else if (k < 3)
        drive_speed_ += std::abs(motor.target);
      else
        drives_.push_back({std::abs(motor.target), connected(world, world.joint(id).a, world.joint(id).b), size});
    }
  }
  update_drive(world);
}

void EnergyAccount::update_drive(const World& world) {
  double speed = drive_speed_;
  for (Drive& drive : drives_) {
    drive.size = std::max(drive.size, extent(world, drive.bodies));
    speed += drive.target * drive.size;
  }
  drive_ = 0.5 * mass_ * (4 * speed) * (4 * speed);
}

void EnergyAccount::note_hauled(const World& world) {
  const auto is_mover = [&](BodyId id) {
    return id != world.world_body() && world.body_def(id).fixed &&
           (world.velocity(id) != Vec3{} || world.angular_velocity(id) != Vec3{});
  };
  std::map<BodyId, Mass*> mass_of;
  for (Mass& m : bodies_) mass_of[m.id] = &m;
  const auto is_hauled = [&](BodyId id) {
    const auto found = mass_of.find(id);
    return found != mass_of.end() ? found->second->is_hauled : is_mover(id);
  };
  for (bool changes = true; changes;) {  // along chains of joints
    changes = false;
    for (const JointId id : world.joints())
      for (const auto& [from, to] :
           {std::pair{world.joint(id).a, world.joint(id).b}, std::pair{world.joint(id).b, world.joint(id).a}}) {
        const auto found = mass_of.find(to);
        if (found == mass_of.end() || found->second->is_hauled || !is_hauled(from)) continue;
        found->second->is_hauled = changes = true;
      }
  }
}

void EnergyAccount::note_overlaps(const ContactList& contacts) {
  std::map<std::pair<BodyId, BodyId>, double> pairs;
  std::map<BodyId, double> deepest;
  for (const Contact& c : contacts)
    for (int i = 0; i < c.count; ++i) {
      const double depth = -c.points[static_cast<std::size_t>(i)].separation;
      if (depth <= 1e-4) continue;  // chosen: touching bodies are not pushed
      for (double* d : {&pairs[{c.a, c.b}], &deepest[c.a], &deepest[c.b]}) *d = std::max(*d, depth);
    }
  double sum = 0;
  for (const auto& [pair, depth] : pairs) sum += depth;
  for (const Mass& m : bodies_) {
    const auto found = deepest.find(m.id);
    if (found == deepest.end()) continue;
    const double p = 3 + 0.3 * found->second / h_;
    push_ += 0.5 * m.mass * p * p + m.mass * length(gravity_) * sum;
  }
}

void EnergyAccount::update_lift(const World& world, double time) {
  if (!(mover_speed_ > 0)) return;
  const double g = length(gravity_);
  lift_ = 0;
  for (Mass& m : bodies_) {
    const double height = g > 0 ? -dot(gravity_, world.center_of_mass(m.id)) / g : 0;
    m.risen = std::max(m.risen, height - (g > 0 ? -dot(gravity_, m.start) / g : 0));
    highest_ = std::max(highest_, height);
    m.fastest = std::max(m.fastest, length(world.velocity(m.id)));
    lift_ += m.is_hauled ? m.mass * mover_speed_ * (g * time + m.fastest)
                         : m.mass * g * std::min(m.risen, mover_speed_ * time);
  }
}

void EnergyAccount::update_work(const World& world) {
  double fallen = 0, step = 0;
  const double g = length(gravity_);
  for (const Mass& m : bodies_) {
    fallen += m.mass * std::max(0.0, dot(gravity_, world.center_of_mass(m.id) - m.start));
    step += m.mass * g * h_ * (length(world.velocity(m.id)) + g * h_);
  }
  fallen_ = std::max(fallen_, fallen);
  step_ = std::max(step_, step);
  for (const Motor& m : motors_)
    motor_ += m.max_force * std::min(std::abs(world.joint_velocity(m.joint, m.axis)), m.top_rate) * h_;
}

/// Three times the speed that a body has if all of the energy is its own.
void EnergyAccount::judge_speeds(const World& world, double time, Judgement& judgement) const {
  const double available = exchange_ + fallen_ + motor_ + drive_ + lift_ + push_ + step_;
  for (const Mass& m : bodies_) {
    const double v = length(world.velocity(m.id)), w = length(world.angular_velocity(m.id));
    const double v_most = 1 + 3 * std::sqrt(2 * available / m.mass);
    const double w_most = 1 + 3 * std::sqrt(2 * available / m.least_inertia);
    if (v > v_most) judgement.add({Verdict::fast, world.name(m.id), time, v, v_most});
    if (w > w_most) judgement.add({Verdict::fast, world.name(m.id), time, w, w_most});
    if (!moves_only_) continue;
    if (const double most = moved_most(world, m); v > most)
      judgement.add({Verdict::fast, world.name(m.id), time, v, most});
  }
}

/// m/s: the most that movers and falling can give to a body, three times and 1 m/s more.
double EnergyAccount::moved_most(const World& world, const Mass& m) const {
  const double g = length(gravity_);
  const auto fall_of = [&](BodyId id) { return g > 0 ? highest_ + dot(gravity_, world.center_of_mass(id)) / g : 0; };
  double fall = std::max(0.0, fall_of(m.id));
  for (const BodyId id : m.joined) fall = std::max(fall, fall_of(id));
  return 1 + 3 * m.lever * (start_speed_ + std::sqrt(2 * g * fall) + 4 * mover_speed_);
}

bool EnergyAccount::step_done(const World& world, double time, Judgement& judgement) {
  update_work(world);
  update_lift(world, time);
  if (!drives_.empty()) update_drive(world);
  const double work = motor_ + drive_ + lift_ + push_ + step_;
  const double reference = exchange_ + fallen_ + work;
  const double excess = world.kinetic_energy() + world.potential_energy(time) - start_ - work;
  if (reference > 0) judgement.energy_excess = std::max(judgement.energy_excess, excess / reference);
  judge_speeds(world, time, judgement);
  if (excess > tolerance_ * reference)
    judgement.add({Verdict::energy, "", time, excess + start_ + work, start_ + work + tolerance_ * reference});
  return judgement.has(Verdict::energy) || judgement.has(Verdict::fast);
}

}  // namespace rigor
