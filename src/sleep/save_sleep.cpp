// Writes the state of the sleep stage as bytes, for snapshots and for the hash of a state.
#include <algorithm>
#include <map>

#include "math/hash.h"
#include "sleep/sleep_stage.h"
#include "state/bytes.h"

namespace rigor {

namespace {

enum MemoryFlags : std::uint8_t { kForce = 1, kMover = 2, kSpeed = 4 };
constexpr std::size_t kSmallestMemory = 33, kSupportSize = 64, kSmallestGroup = 8;

}  // namespace

void SleepStage::save_memory(std::size_t index, std::uint32_t reason, ByteWriter& out) const {
  const BodyMemory& m = bodies_[index];
  const SleepForce f = force_at_sleep(index);
  const bool force = !is_zero(f.force) || !is_zero(f.torque), mover = static_cast<bool>(m.mover);
  const bool moves = m.speed != 0 || m.rising_time != 0;
  out.put(static_cast<std::uint8_t>((force ? kForce : 0) | (mover ? kMover : 0) | (moves ? kSpeed : 0)));
  out.put(m.generation);
  out.put(m.idle_time), out.put(m.needed_time);
  out.put(static_cast<std::int32_t>(m.contacts)), out.put(static_cast<std::int32_t>(m.group));
  out.put(reason);
  if (force) out.put(f.force), out.put(f.torque);
  if (mover) out.put(m.mover);
  if (moves) out.put(m.speed), out.put(m.rising_time);
}

void SleepStage::save(const World& world, ByteWriter& out) const {
  if (epoch_ != world.epoch()) return SleepStage(world.epoch()).save(world, out);  // of another world
  std::map<std::string, std::uint32_t> reasons{{"", 0}};
  for (const BodyMemory& m : bodies_) reasons.emplace(m.woken_by, 0);
  out.put_count(reasons.size());
  std::uint32_t next = 0;
  for (auto& [reason, index] : reasons) out.put(reason), index = next++;
  out.put_count(bodies_.size());
  for (std::size_t i = 0; i < bodies_.size(); ++i) save_memory(i, reasons.at(bodies_[i].woken_by), out);
  out.put_count(groups_.size());
  for (const Group& g : groups_) {
    out.put_count(g.bodies.size());
    for (const BodyId id : g.bodies) out.put(id);
    out.put_count(g.supports.size());
    for (const Support& s : g.supports) out.put(s.body), out.put(s.position), out.put(s.orientation);
  }
}

void SleepStage::restore(const World& world, ByteReader& in) {
  *this = SleepStage(world.epoch());
  std::vector<std::string> reasons(in.count(4));
  for (std::string& reason : reasons) reason = in.text();
  bodies_.resize(in.count(kSmallestMemory));
  forces_.resize(std::max<std::size_t>(bodies_.size(), world.id_capacity()));
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    BodyMemory& m = bodies_[i];
    const auto flags = in.get<std::uint8_t>();
    ByteReader::check(flags <= (kForce | kMover | kSpeed), "a body's memory has unknown flags");
    m.generation = in.get<std::uint32_t>();
    m.idle_time = in.number(), m.needed_time = in.number();
    m.contacts = in.get<std::int32_t>(), m.group = in.get<std::int32_t>();
    const auto reason = in.get<std::uint32_t>();
    ByteReader::check(reason < reasons.size(), "a sentence is missing");
    m.woken_by = reasons[reason];
    if (flags & kForce) forces_[i].force = in.vector(), forces_[i].torque = in.vector();
    if (flags & kMover) m.mover = in.id<BodyId>();
    if (flags & kSpeed) m.speed = in.number(), m.rising_time = in.number();
  }
  groups_.resize(in.count(kSmallestGroup));
  for (Group& g : groups_) {
    g.bodies.resize(in.count(sizeof(BodyId)));
    for (BodyId& id : g.bodies) id = in.id<BodyId>();
    sleepers_ += static_cast<std::uint32_t>(g.bodies.size());
    g.supports.resize(in.count(kSupportSize));
    for (Support& s : g.supports) {
      s.body = in.id<BodyId>();
      s.position = in.vector(), s.orientation = in.unit_quaternion();
    }
  }
  check_groups(world);
}

/// Checks that bodies and groups refer to each other.
void SleepStage::check_groups(const World& world) const {
  for (const BodyMemory& m : bodies_)
    ByteReader::check(m.group >= -1 && m.group < static_cast<int>(groups_.size()), "a sleeping island is missing");
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (const BodyId id : groups_[g].bodies) {
      const BodyMemory* m = find_memory(id);
      const bool fits = m ? m->group == static_cast<int>(g) : !world.contains(id);
      ByteReader::check(fits, "a body is not of its sleeping island");
    }
}

void SleepStage::add_to_hash(const World& world, Hasher& hasher) const {
  if (epoch_ != world.epoch()) return;
  for (const BodyId id : world.bodies()) {
    const BodyMemory* m = find_memory(id);
    if (!m) continue;
    hasher.add(std::uint64_t{id.index});
    hasher.add(m->idle_time);
    hasher.add(static_cast<std::uint64_t>(static_cast<std::int64_t>(m->group)));
    const SleepForce f = force_at_sleep(id.index);
    hasher.add(f.force), hasher.add(f.torque);
  }
}

}  // namespace rigor
