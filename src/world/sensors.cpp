#include "world/sensors.h"

#include <algorithm>

#include "narrowphase/quick_bounds.h"
#include "narrowphase/shape_queries.h"
#include "state/bytes.h"

namespace rigor {

namespace {

Transform shape_in_world(const World& world, std::uint32_t slot) {
  const BodyState& s = world.state();
  return Transform{s.position[slot], s.orientation[slot]} * world.shape_frame(slot);
}

bool is_active(const World& world, std::uint32_t slot) { return slot < world.state().end(BodySet::still); }

}  // namespace

/// True if a body rests and rested at the last update; definitions have not changed since then.
bool Sensors::rests(const World& world, BodyId id) const {
  return world.slot(id) >= world.state().end(BodySet::kinematic) && id.index < rested_.size() && rested_[id.index];
}

void Sensors::remember_rest(const World& world) {
  const BodyState& s = world.state();
  rested_.assign(world.id_capacity(), 0);
  for (std::uint32_t i = s.end(BodySet::kinematic); i < s.size(); ++i) rested_[s.id_index[i]] = 1;
  definitions_ = world.definitions_version();
}

void Sensors::place_sensors(const World& world) {
  std::vector<std::uint32_t> indices = world.sensors();
  std::sort(indices.begin(), indices.end());
  sensors_.clear();
  bounded_.clear();
  unbounded_.clear();
  std::vector<Aabb> boxes;
  all_rest_ = true;
  for (const std::uint32_t index : indices) {
    const BodyId id = world.id_of(index);
    const std::uint32_t slot = world.slot(id);
    if (!is_active(world, slot) || !world.senses(slot)) continue;
    const auto number = static_cast<std::uint32_t>(sensors_.size());
    const Shape* shape = world.collision_shape(slot).get();
    sensors_.push_back({id, slot, shape, shape_in_world(world, slot), rests(world, id)});
    all_rest_ = all_rest_ && sensors_.back().rests;
    const Aabb box = body_bounds(*shape, sensors_.back().frame);
    const bool is_bounded = is_finite(box.lower) && is_finite(box.upper);
    (is_bounded ? bounded_ : unbounded_).push_back(number);
    if (is_bounded) boxes.push_back(box);
  }
  tree_ = BoxTree(boxes);
}

/// Pairs of which neither body has moved keep their answers.
void Sensors::keep_resting(const World& world) {
  for (const SensorOverlap& o : overlaps_)
    if (world.contains(o.sensor) && world.contains(o.body) && rests(world, o.sensor) && rests(world, o.body))
      now_.push_back(o);
}

void Sensors::find_overlaps(const World& world) {
  const BodyState& s = world.state();
  for (std::uint32_t slot = 0; slot < s.end(BodySet::still); ++slot) {
    const BodyId id = world.id_at(slot);
    if (!world.can_collide(slot) || id == world.world_body()) continue;
    const bool body_rests = rests(world, id);
    if (body_rests && all_rest_) continue;
    const Shape& shape = *world.collision_shape(slot);
    const Transform frame = shape_in_world(world, slot);
    const auto visit = [&](const Sensor& sensor) {
      if ((body_rests && sensor.rests) || !world.may_sense(sensor.slot, slot)) return;
      if (shapes_overlap(*sensor.shape, shape, inverse(sensor.frame) * frame)) now_.push_back({sensor.id, id});
    };
    tree_.query(body_bounds(shape, frame), [&](std::uint32_t item) { visit(sensors_[bounded_[item]]); });
    for (const std::uint32_t k : unbounded_) visit(sensors_[k]);
  }
}

void Sensors::update(const World& world, double time, std::vector<Event>& events) {
  if (world.sensors().empty() && overlaps_.empty()) return;
  if (definitions_ != world.definitions_version()) rested_.clear();
  now_.clear();
  place_sensors(world);
  if (!sensors_.empty()) {
    keep_resting(world);
    find_overlaps(world);
  }
  std::sort(now_.begin(), now_.end());
  remember_rest(world);
  const auto report = [&](Event::Kind kind, const SensorOverlap& o) {
    events.push_back({kind, time, o.sensor, o.body, {}, 0, 0, {}, {}});
  };
  // Both lists are sorted: one pass finds the overlaps that began and ended.
  std::size_t old = 0;
  for (const SensorOverlap& o : now_) {
    while (old < overlaps_.size() && overlaps_[old] < o) report(Event::Kind::sensor_end, overlaps_[old++]);
    if (old < overlaps_.size() && overlaps_[old] == o)
      ++old;
    else
      report(Event::Kind::sensor_begin, o);
  }
  while (old < overlaps_.size()) report(Event::Kind::sensor_end, overlaps_[old++]);
  overlaps_.swap(now_);
}

std::span<const SensorOverlap> Sensors::overlaps(BodyId sensor) const {
  const auto [begin, end] =
      std::equal_range(overlaps_.begin(), overlaps_.end(), SensorOverlap{sensor, {}},
                       [](const SensorOverlap& x, const SensorOverlap& y) { return x.sensor < y.sensor; });
  return {begin, end};
}

void Sensors::save(ByteWriter& out) const {
  out.put_count(overlaps_.size());
  for (const SensorOverlap& o : overlaps_) {
    out.put(o.sensor);
    out.put(o.body);
  }
}

void Sensors::restore(ByteReader& in) {
  clear();
  overlaps_.resize(in.count(2 * sizeof(BodyId)));
  for (SensorOverlap& o : overlaps_) {
    o.sensor = in.id<BodyId>();
    o.body = in.id<BodyId>();
  }
  ByteReader::check(std::is_sorted(overlaps_.begin(), overlaps_.end()), "overlaps of sensors are out of order");
}

}  // namespace rigor
