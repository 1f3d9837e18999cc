#include "rigor/drive.h"

#include <algorithm>
#include <cmath>

#include "rigor/error.h"

namespace rigor {

namespace {

std::string place_of(const Drive& drive) { return "drive of '" + drive.joint.substr(0, 60) + "'"; }

void check(const Drive& drive) {
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
  }
  return [drives = std::move(drives)](Simulation& simulation) {
    World& w = simulation.world();
    const double time = simulation.time() + simulation.time_settings().step;
    for (const Drive& drive : drives) {
      if (!w.find_joint(drive.joint)) continue;  // removed since
      const auto [id, axis] = find_axis(drive, w);
      AxesJoint kind = std::get<AxesJoint>(w.joint(id).kind);
      double& target = kind.axes[static_cast<std::size_t>(axis)].motor.target;
      const double wanted = target_at(drive, time);
      if (target == wanted) continue;
      target = wanted;
      w.set_joint(id, kind);
    }
  };
}

}  // namespace rigor
