// Writes what changes in a world from step to step as bytes, for snapshots.
#include <algorithm>
#include <cstddef>

#include "rigor/world.h"
#include "state/bytes.h"

namespace rigor {

namespace {

/// A joint's state is a row of numbers, most of them zero, and a flag.
constexpr std::size_t kJointNumbers = offsetof(JointState, broken) / sizeof(double);
static_assert(std::is_trivially_copyable_v<JointState> && offsetof(JointState, broken) % sizeof(double) == 0 &&
                  sizeof(JointState) == (kJointNumbers + 1) * sizeof(double),
              "JointState is numbers followed by one flag; anything else has to be saved by hand");
using JointNumbers = std::array<std::uint64_t, kJointNumbers>;

/// Which user forces follow; snapshots without forces for one step have 0 or 1.
enum ForceFlags : std::uint8_t { kUserForces = 1, kStepForces = 2 };

/// Writes which numbers are not zero, then those.
void put_sparse(ByteWriter& out, const JointNumbers& numbers) {
  for (std::size_t begin = 0; begin < numbers.size(); begin += 64) {
    const std::size_t end = std::min(numbers.size(), begin + 64);
    std::uint64_t mask = 0;
    for (std::size_t i = begin; i < end; ++i) mask |= std::uint64_t{numbers[i] != 0} << (i - begin);
    out.put(mask);
    for (std::size_t i = begin; i < end; ++i)
      if (numbers[i] != 0) out.put(numbers[i]);
  }
}

JointNumbers get_sparse(ByteReader& in) {
  JointNumbers numbers{};
  for (std::size_t begin = 0; begin < numbers.size(); begin += 64) {
    const auto mask = in.get<std::uint64_t>();
    for (std::size_t i = begin; i < std::min(numbers.size(), begin + 64); ++i)
      if (mask >> (i - begin) & 1) numbers[i] = std::bit_cast<std::uint64_t>(in.number());
  }
  return numbers;
}

}  // namespace

void World::save_motion(ByteWriter& out) const {
  out.put_array(state_.id_index);
  for (const std::uint32_t end : state_.set_end) out.put(end);
  out.put_array(state_.position);
  out.put_array(state_.orientation);
  out.put_array(state_.velocity);
  out.put_array(state_.angular_velocity);
  out.put(static_cast<std::uint8_t>((has_user_forces_ ? kUserForces : 0) | (step_forces_.empty() ? 0 : kStepForces)));
  if (has_user_forces_) {
    out.put_array(state_.user_force);
    out.put_array(state_.user_torque);
  }
  if (!step_forces_.empty()) {
    out.put_count(step_forces_.size());
    for (const StepForce& f : step_forces_) {
      out.put(f.body);
      out.put(f.force);
      out.put(f.torque);
    }
  }
  out.put_count(removed_.size());
  for (const BodyId id : removed_) out.put(id);
  save_joints(out);
}

void World::save_joints(ByteWriter& out) const {
  for (const Joint& joint : joints_) {
    if (!joint.alive) continue;
    JointNumbers numbers;
    std::memcpy(&numbers, &joint.state, sizeof numbers);
    put_sparse(out, numbers);
    out.put(joint.state.broken);
  }
}

void World::restore_motion(ByteReader& in) {
  const std::size_t size = state_.size();
  std::vector<std::uint32_t> id_index;
  in.array(id_index);
  ByteReader::check(id_index.size() == size, "it has another number of bodies");
  arrange_slots(id_index);
  for (std::uint32_t& end : state_.set_end) end = in.get<std::uint32_t>();
  check_sets();

  const auto read = [&](auto& array) {
    in.array(array);
    if (array.size() == size) return;
    array.resize(size);
    ByteReader::check(false, "a list has another length");
  };
  read(state_.position);
  read(state_.orientation);
  read(state_.velocity);
  read(state_.angular_velocity);
  const auto flags = in.get<std::uint8_t>();
  ByteReader::check(flags <= (kUserForces | kStepForces), "forces of an unknown kind");
  has_user_forces_ = flags & kUserForces;
  if (has_user_forces_) {
    read(state_.user_force);
    read(state_.user_torque);
  } else {
    std::fill(state_.user_force.begin(), state_.user_force.end(), Vec3{});
    std::fill(state_.user_torque.begin(), state_.user_torque.end(), Vec3{});
  }
  restore_step_forces(in, flags & kStepForces);
  // Forces are not stored: every step computes them.
  std::fill(state_.force.begin(), state_.force.end(), Vec3{});
  std::fill(state_.torque.begin(), state_.torque.end(), Vec3{});
  removed_.resize(in.count(sizeof(BodyId)));
  for (BodyId& id : removed_) id = in.id<BodyId>();
  restore_joints(in);
}

void World::restore_step_forces(ByteReader& in, bool are_there) {
  step_forces_.clear();
  if (!are_there) return;
  step_forces_.resize(in.count(sizeof(StepForce)));
  for (StepForce& f : step_forces_) {
    f.body = in.id<BodyId>();
    ByteReader::check(contains(f.body), "a force acts on a body that is not there");
    f.force = in.vector();
    f.torque = in.vector();
  }
}

void World::restore_joints(ByteReader& in) {
  for (Joint& joint : joints_) {
    if (!joint.alive) continue;
    const JointNumbers numbers = get_sparse(in);
    const bool broken = in.flag();
    count_joined_pair(joint, -1);
    std::memcpy(static_cast<void*>(&joint.state), &numbers, sizeof numbers);
    joint.state.broken = broken;
    count_joined_pair(joint, 1);
  }
}

void World::arrange_slots(const std::vector<std::uint32_t>& id_index) {
  std::vector<bool> seen(bodies_.size());
  for (const std::uint32_t index : id_index) {
    ByteReader::check(index < bodies_.size() && bodies_[index].alive && !seen[index], "a body stands in no slot");
    seen[index] = true;
  }
  for (std::uint32_t i = 0; i < id_index.size(); ++i) swap_slots(i, bodies_[id_index[i]].slot);
}

void World::check_sets() const {
  ByteReader::check(
      std::is_sorted(state_.set_end.begin(), state_.set_end.end()) && state_.set_end.back() == state_.id_index.size(),
      "its sets of bodies overlap");
  for (std::uint32_t i = 0; i < state_.id_index.size(); ++i) {
    const BodyDef& def = bodies_[state_.id_index[i]].def;
    const bool inactive = i >= state_.end(BodySet::still);
    const bool dynamic =
        i < state_.awake() || (i >= state_.begin(BodySet::sleeping) && i < state_.end(BodySet::sleeping));
    ByteReader::check(def.active != inactive && (inactive || def.fixed != dynamic), "a body is in the wrong set");
  }
}

}  // namespace rigor
