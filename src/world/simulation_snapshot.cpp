// Saves, restores and hashes the complete state of a simulation.
#include <algorithm>

#include "math/hash.h"
#include "state/bytes.h"
#include "world/stages.h"

namespace rigor {

Simulation::Simulation(const Snapshot& snapshot)
    : Simulation(snapshot ? *snapshot.world : World(), snapshot ? *snapshot.method : default_method(), snapshot.time) {
  restore(snapshot);
}

Snapshot Simulation::save() const {
  static_cast<void>(stages());  // Error if this one was moved from
  if (!saved_world_ || saved_world_->definitions_version() != world_.definitions_version() ||
      saved_world_->labels_version() != world_.labels_version())
    saved_world_ = std::make_shared<const World>(world_);
  if (!saved_method_ || *saved_method_ != method_) saved_method_ = std::make_shared<const Method>(method_);
  ByteWriter out;
  out.reserve(last_save_size_);
  world_.save_motion(out);
  save_stages(out);
  std::string bytes = out.take();
  last_save_size_ = bytes.size();
  bytes.shrink_to_fit();
  return {saved_world_, saved_method_, settings_, std::make_shared<const std::string>(std::move(bytes)), true};
}

void Simulation::save_stages(ByteWriter& out) const {
  out.put(time_), out.put(target_time_);
  out.put(steps_);
  out.put(static_cast<std::int32_t>(evaluations_));
  out.put(stages_->memory.step_size);
  if (stages_->integrator->keeps_numbers()) {
    out.put_count(stages_->memory.numbers.size());
    for (const double v : stages_->memory.numbers) out.put(v);
  }
  stages_->contacts.save(world_, out);
  stages_->sleep.save(world_, out);
  stages_->contact_events.save(out);
  out.put_count(stages_->validator_memory.size());
  for (const ValidatorMemory& memory : stages_->validator_memory)
    for (const double v : memory.numbers) out.put(v);
  if (!stages_->sensors.empty()) stages_->sensors.save(out);
}

void Simulation::restore(const Snapshot& snapshot) {
  if (!snapshot) throw Error("snapshot", "it is empty: nothing was saved in it");
  refuse_within_step("restore");
  static_cast<void>(stages());  // Error if this one was moved from
  if (snapshot.world->definitions_version() != world_.definitions_version())
    world_ = *snapshot.world;
  else
    world_.copy_labels(*snapshot.world);
  if (*snapshot.method != method_) set_method(*snapshot.method);
  set_time_settings(snapshot.time);
  ByteReader in(*snapshot.state, snapshot.trusted);
  world_.restore_motion(in);
  restore_stages(in);
  in.finish();
  stages_->is_half_done = false;
  events_.clear();
  saved_world_ = snapshot.world, saved_method_ = snapshot.method;
}

void Simulation::restore_stages(ByteReader& in) {
  time_ = in.number(), target_time_ = in.number();
  const double longest_step = std::max(settings_.step, settings_.max_step);
  in.check_file(target_time_ - time_ <= longest_step + settings_.max_advance, "its target is too far away");
  steps_ = in.get<std::uint64_t>();
  evaluations_ = in.get<std::int32_t>();
  stages_->memory.step_size = in.number();
  in.check_file(stages_->memory.step_size >= 0, "an inner step is negative");
  stages_->memory.numbers.clear();
  if (stages_->integrator->keeps_numbers()) {
    stages_->memory.numbers.resize(in.count(sizeof(double)));
    for (double& v : stages_->memory.numbers) v = in.number();
  }
  stages_->constraints.clear();  // what joints remember is not what it left
  stages_->contacts.restore(world_, in);
  stages_->sleep.restore(world_, in);
  stages_->contact_events.restore(in);
  ByteReader::check(in.count(1) == stages_->validator_memory.size(), "it has another number of validators");
  for (ValidatorMemory& memory : stages_->validator_memory)
    for (double& v : memory.numbers) v = in.number();
  stages_->sensors.clear();
  if (!in.is_at_end()) stages_->sensors.restore(in);  // written only where a body overlaps a sensor
  ++stages_->poses_version;
  stages_->previous_poses.clear();
  stages_->contact_index.clear();
}

namespace {

void add_contact(const Contact& c, Hasher& h) {
  h.add(std::uint64_t{c.a.index} << 32 | c.b.index);
  h.add(std::uint64_t{c.part_a} << 32 | c.part_b);
  h.add(c.normal), h.add(c.tangent);
  for (int i = 0; i < c.count; ++i) {
    const ContactPoint& p = c.points[static_cast<std::size_t>(i)];
    h.add(std::uint64_t{p.key});
    h.add(p.normal_impulse), h.add(p.tangent_impulse[0]), h.add(p.tangent_impulse[1]);
    h.add(p.rolling_impulse[0]), h.add(p.rolling_impulse[1]), h.add(p.spinning_impulse);
    h.add(p.approach_speed);
  }
}

void add_joint(const JointState& s, Hasher& h) {
  for (const double v : s.lambda) h.add(v);
  for (const double v : s.servo_integral) h.add(v);
  for (const double v : s.gear_angle) h.add(v);
  h.add(s.force), h.add(s.torque);
  h.add(std::uint64_t{s.broken});
}

}  // namespace

std::uint64_t Simulation::hash() const {
  Hasher h;
  h.add(world_.hash());
  h.add(time_);
  for (const Contact& c : contacts()) add_contact(c, h);
  for (const JointId id : world_.joints()) add_joint(world_.joint_state(id), h);
  stages_->sleep.add_to_hash(world_, h);
  h.add(stages_->memory.step_size);
  if (stages_->integrator->keeps_numbers())
    for (const double v : stages_->memory.numbers) h.add(v);
  for (const World::StepForce& f : world_.step_forces()) {
    h.add(std::uint64_t{f.body.index});
    h.add(f.force), h.add(f.torque);
  }
  return h.value();
}

}  // namespace rigor
