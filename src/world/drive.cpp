#include "rigor/drive.h"

#include <algorithm>
#include <cmath>

#include "rigor/error.h"

namespace rigor {

namespace {

std::string place_of(const Drive& drive) { return "drive of '" + drive.joint.substr(0, 60) + "'"; }

void check(const Drive& drive) {
  if (drive.follow && (!std::isfinite(drive.follow->ratio) || !std::isfinite(drive.follow->offset)))
    throw Error(place_of(drive), "expected finite numbers");
  for (const double v : {drive.offset, drive.amplitude, drive.frequency, drive.phase})
    if (!std::isfinite(v)) throw Error(place_of(drive), "expected finite numbers");
  for (std::size_t i = 0; i < drive.keys.size(); ++i) {
    if (!std::isfinite(drive.keys[i].time) || !std::isfinite(drive.keys[i].target))
      throw Error(place_of(drive), "expected finite numbers");
    if (i > 0 && !(drive.keys[i].time > drive.keys[i - 1].time))
      throw Error(place_of(drive), "the times of its keys must ascend");
  }
}

/// The axis of a drive, in the joint that it names.
std::pair<JointId, int> find_axis(const Drive& drive, const World& world) {
  const JointId id = world.find_joint(drive.joint);
  if (!id) throw Error(place_of(drive), "there is no such joint");
  const auto* axes = std::get_if<AxesJoint>(&world.joint(id).kind);
  if (!axes || drive.axis > 5 || drive.axis < -1) throw Error(place_of(drive), "the joint has no such axis");
  for (int k = 0; k < 6; ++k)
    if ((drive.axis < 0 || drive.axis == k) &&
        axes->axes[static_cast<std::size_t>(k)].motor.kind != AxisMotor::Kind::none)
      return {id, k};
  throw Error(place_of(drive), "the joint has no motor there; \"motor\": \"servo\" or \"velocity\" gives it one");
}

/// The leader's axis of a drive that follows.
std::pair<JointId, int> find_leader(const Drive& drive, const World& world) {
  const Drive::Follow& follow = *drive.follow;
  const JointId id = world.find_joint(follow.joint);
  if (!id) throw Error(place_of(drive) + ".follow", "there is no such joint");
  const auto* axes = std::get_if<AxesJoint>(&world.joint(id).kind);
  for (int k = 0; axes && k < 6; ++k)
    if (follow.axis == k || (follow.axis < 0 && axes->axes[static_cast<std::size_t>(k)].motion != AxisMotion::locked)) {
      if (follow.joint == drive.joint && k == find_axis(drive, world).second)
        throw Error(place_of(drive) + ".follow", "a coordinate cannot follow itself");
      return {id, k};
    }
  throw Error(place_of(drive) + ".follow", "the joint has no such axis");
}

/// What remains of the error of a follower: q − offset − ratio · leader. Angles that go round are known up to full turns only, so that with a ratio
/// that is not a whole number the error is not known: only the speed follows then.
double error_of(const Drive::Follow& follow, const World& world, std::pair<JointId, int> own,
                std::pair<JointId, int> leader) {
  const auto goes_round = [&](std::pair<JointId, int> at) {
    const JointAxis& axis = std::get<AxesJoint>(world.joint(at.first).kind).axes[static_cast<std::size_t>(at.second)];
    return at.second >= 3 && !(axis.motion == AxisMotion::limited && axis.lower > -kPi && axis.upper < kPi);
  };
  const double error = world.joint_position(own.first, own.second) - follow.offset -
                       follow.ratio * world.joint_position(leader.first, leader.second);
  if (!goes_round(own) && !goes_round(leader)) return error;
  const bool whole = follow.ratio == std::floor(follow.ratio);
  return own.second >= 3 && whole ? std::remainder(error, 2 * kPi) : 0;
}

/// The target of a follower's motor for a step of h seconds. A servo holds P (target − q) = D q̇ while it moves, so that it is aimed ahead by D / P.
double following_target(const Drive& drive, const World& world, double h) {
  constexpr double kShare = 0.2;   // of the error per step, as solvers correct joints; chosen
  constexpr double kStill = 1e-6;  // m/s or rad/s; chosen: slower motors stand still, so that bodies may sleep
  const auto own = find_axis(drive, world), leader = find_leader(drive, world);
  const AxisMotor& motor =
      std::get<AxesJoint>(world.joint(own.first).kind).axes[static_cast<std::size_t>(own.second)].motor;
  const double speed = drive.follow->ratio * world.joint_velocity(leader.first, leader.second);
  const double error = error_of(*drive.follow, world, own, leader);
  if (motor.kind == AxisMotor::Kind::velocity) {
    const double target = speed - kShare * error / h;
    return std::abs(target) < kStill ? 0 : target;
  }
  const double lag = motor.proportional > 0 ? motor.derivative / motor.proportional : 0;
  const double ahead = std::abs(speed) < kStill ? 0 : (h + lag) * speed;
  return world.joint_position(own.first, own.second) - error + ahead;
}

}  // namespace

double target_at(const Drive& drive, double time) {
  const std::vector<Drive::Key>& keys = drive.keys;
  if (keys.empty()) {
    double sine = 0, cosine = 1;
    const double turns = drive.frequency * time;
    sin_cos(2 * kPi * (turns - std::floor(turns)) + drive.phase, sine, cosine);
    return drive.offset + drive.amplitude * sine;
  }
  const double first = keys.front().time, span = keys.back().time - first;
  if (drive.repeat && span > 0 && time > first) time = first + std::fmod(time - first, span);
  const auto next =
      std::upper_bound(keys.begin(), keys.end(), time, [](double t, const Drive::Key& k) { return t < k.time; });
  if (next == keys.begin()) return keys.front().target;
  if (next == keys.end()) return keys.back().target;
  const Drive::Key &a = *(next - 1), &b = *next;
  const double u = (time - a.time) / (b.time - a.time), w = drive.smooth ? u * u * (3 - 2 * u) : u;
  return a.target + w * (b.target - a.target);
}

Simulation::StepCallback driven_by(std::vector<Drive> drives, const World& world) {
  for (const Drive& drive : drives) {
    check(drive);
    find_axis(drive, world);
    if (drive.follow) find_leader(drive, world);
  }
  return [drives = std::move(drives)](Simulation& simulation) {
    World& w = simulation.world();
    const double h = simulation.time_settings().step, time = simulation.time() + h;
    for (const Drive& drive : drives) {
      if (!w.find_joint(drive.joint)) continue;  // removed since
      if (drive.follow && !w.find_joint(drive.follow->joint)) continue;
      const auto [id, axis] = find_axis(drive, w);
      AxesJoint kind = std::get<AxesJoint>(w.joint(id).kind);
      double& target = kind.axes[static_cast<std::size_t>(axis)].motor.target;
      const double wanted = drive.follow ? following_target(drive, w, h) : target_at(drive, time);
      if (target == wanted) continue;
      target = wanted;
      w.set_joint(id, kind);
    }
  };
}

}  // namespace rigor
