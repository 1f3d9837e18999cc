#include "world/step_events.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "islands/islands.h"
#include "math/clear_list.h"
#include "math/prefetch.h"
#include "narrowphase/quick_bounds.h"
#include "narrowphase/shape_queries.h"
#include "state/bytes.h"

namespace rigor {

const char* to_string(Event::Kind kind) {
  static constexpr const char* kNames[] = {"joint-broken", "body-asleep",   "body-awake",
                                           "body-removed", "contact-begin", "contact-stay",
                                           "contact-end",  "sensor-begin",  "sensor-end"};
  return kNames[static_cast<int>(kind)];
}

namespace {

/// Contacts are far apart in memory: prefetches ids and normal of one that follows contact k.
void fetch_ahead(const ContactList& contacts, std::size_t k) {
  constexpr std::size_t kAhead = 16;  // chosen
  if (k + kAhead < contacts.size()) prefetch(&contacts[k + kAhead]);
}

bool by_ids(BodyId a, BodyId b, BodyId c, BodyId d) {
  return std::pair(a.index, b.index) < std::pair(c.index, d.index);
}

/// True for a pair that touches at the end of the step or had an impulse within it.
struct StepPair {
  BodyId a, b;
  double impulse, speed;
  Vec3 point, normal;
};

/// A pair with its first contact.
StepPair touching_pair(const World& world, const Contact& first) {
  const BodyState& s = world.state();
  const std::uint32_t slot = world.slot(first.a);
  StepPair pair{first.a, first.b, 0, 0, {}, first.normal};
  pair.point = s.position[slot] + rotate(s.orientation[slot], first.points[0].local_a);
  return pair;
}

double fastest_approach(const ContactList& contacts, std::size_t begin, std::size_t end) {
  double speed = -std::numeric_limits<double>::infinity();
  for (std::size_t k = begin; k < end; ++k)
    for (int i = 0; i < contacts[k].count; ++i)
      speed = std::max(speed, contacts[k].points[static_cast<std::size_t>(i)].closing_speed);
  return speed;
}

/// Lists the pairs that touch at the end, found by the last collision detection, and pairs that had an impulse within the step and
/// have separated, with the impulses of the whole step, in the order of contact lists.
template <class Visit>
void visit_pairs(const World& world, const ContactList& contacts, std::span<const PairImpulse> impulses,
                 const Visit& visit) {
  std::size_t next = 0;
  const auto visit_parted = [&](const auto& is_before) {
    for (; next < impulses.size() && is_before(impulses[next]); ++next) {
      const PairImpulse& p = impulses[next];
      if (p.impulse > 0 && world.contains(p.a) && world.contains(p.b))
        visit(StepPair{p.a, p.b, p.impulse, p.speed, p.point, p.normal}, true);
    }
  };
  for (std::size_t i = 0, end = 0; i < contacts.size(); i = end) {
    bool touching = false;
    for (end = i; end < contacts.size() && contacts[end].a == contacts[i].a && contacts[end].b == contacts[i].b; ++end)
      touching = touching || is_touching(contacts[end]);
    if (!touching || !world.contains(contacts[i].a) || !world.contains(contacts[i].b)) continue;
    StepPair pair = touching_pair(world, contacts[i]);
    visit_parted([&](const PairImpulse& p) { return by_ids(p.a, p.b, pair.a, pair.b); });
    if (next < impulses.size() && impulses[next].a == pair.a && impulses[next].b == pair.b) {
      pair.impulse = impulses[next].impulse;
      pair.speed = impulses[next].speed;
      ++next;
    } else {
      pair.speed = fastest_approach(contacts, i, end);
    }
    visit(pair, true);
  }
  visit_parted([](const PairImpulse&) { return true; });
}

/// The same, with pairs that do not touch, if every contact of the list has its entry; those of one pair are adjacent.
template <class Visit>
void visit_contacts(const World& world, const ContactList& contacts, std::span<const ContactImpulse> impulses,
                    const Visit& visit) {
  for (std::size_t i = 0, end = 0; i < impulses.size(); i = end) {
    const ContactImpulse& first = impulses[i];
    StepPair pair{contacts[i].a, contacts[i].b, first.impulse, first.speed, first.point, contacts[i].normal};
    bool counts = first.touching || first.impulse > 0;
    fetch_ahead(contacts, i);
    // Compares bodies b first: they differ whenever pairs do, while a branch on bodies a would be mispredicted.
    for (end = i + 1; end < impulses.size() && contacts[end].b == pair.b && contacts[end].a == pair.a; ++end) {
      pair.impulse += impulses[end].impulse;
      pair.speed = std::max(pair.speed, impulses[end].speed);
      counts = counts || impulses[end].touching || impulses[end].impulse > 0;
    }
    visit(pair, counts && world.contains(pair.a) && world.contains(pair.b));
  }
}

std::array<float, 3> to_float(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
Vec3 to_double(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

bool is_awake(const World& world, BodyId id) { return world.contains(id) && world.slot(id) < world.state().awake(); }

/// Collision detection skips sleeping pairs; they touch as before.
bool sleeps(const World& world, BodyId a, BodyId b) {
  return world.contains(a) && world.contains(b) && !is_awake(world, a) && !is_awake(world, b);
}

Event with_pair(Event::Kind kind, const StepPair& p, double time) {
  return {kind, time, p.a, p.b, {}, p.impulse, p.speed, p.point, p.normal};
}
template <class Pair> Event ended(const Pair& p, double time) {
  return {Event::Kind::contact_end, time, p.a, p.b, {}, 0, 0, to_double(p.point), to_double(p.normal)};
}

}  // namespace

bool ContactEvents::update_in_place(const World& world, const ContactList& contacts,
                                    std::span<const ContactImpulse> impulses, const ThreadPool& threads) {
  if (pairs_.size() != impulses.size()) return false;
  const auto is_same = [&](std::size_t k) {
    fetch_ahead(contacts, k);
    return pairs_[k].a == contacts[k].a && pairs_[k].b == contacts[k].b;
  };
  if (!all_of(threads, pairs_.size(), is_same)) return false;
  changed_.clear();
  std::mutex mutex;
  threads.for_range(
      pairs_.size(), 512,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
          fetch_ahead(contacts, k);
          const ContactImpulse& p = impulses[k];
          const bool touches =
              (p.touching || p.impulse > 0) && world.contains(pairs_[k].a) && world.contains(pairs_[k].b);
          if (touches) {
            pairs_[k].point = to_float(p.point);
            pairs_[k].normal = to_float(contacts[k].normal);
          }
          if (touches == pairs_[k].touches) continue;
          const std::lock_guard lock(mutex);
          changed_.push_back(k);
        }
      },
      4096);
  return true;
}

void ContactEvents::report_changed(const World& world, const ContactList& contacts,
                                   std::span<const ContactImpulse> impulses, double time, const EventSettings& settings,
                                   std::vector<Event>& events) {
  std::sort(changed_.begin(), changed_.end());
  for (const std::size_t k : changed_) {
    Pair& p = pairs_[k];
    if (p.touches && sleeps(world, p.a, p.b)) continue;
    p.touches = !p.touches;
    if (!settings.contact_begin_and_end) continue;
    const ContactImpulse& now = impulses[k];
    const StepPair pair{p.a, p.b, now.impulse, now.speed, now.point, contacts[k].normal};
    events.push_back(p.touches ? with_pair(Event::Kind::contact_begin, pair, time) : ended(p, time));
  }
}

void ContactEvents::update(const World& world, const ContactList& contacts, StepImpulses& impulses, double time,
                           const EventSettings& settings, const ThreadPool& threads, std::vector<Event>& events) {
  const bool is_still = world.state().end(BodySet::kinematic) == 0 && contacts.empty();
  const bool same_bodies = std::exchange(bodies_, world.body_count()) == world.body_count();
  if (is_still && same_bodies && pairs_rest_) return;
  pairs_rest_ = is_still;
  const bool by_contact = impulses.is_by_contact() && impulses.by_contact().size() == contacts.size();
  clear_list(now_);
  if (by_contact && !settings.contact_stay && update_in_place(world, contacts, impulses.by_contact(), threads))
    return report_changed(world, contacts, impulses.by_contact(), time, settings, events);
  const auto end_pair = [&](const Pair& p) {
    if (!p.touches) return;
    if (sleeps(world, p.a, p.b)) return now_.push_back(p);
    if (settings.contact_begin_and_end) events.push_back(ended(p, time));
  };
  std::size_t old = 0;
  const auto visit = [&](const StepPair& p, bool touches) {
    while (old < pairs_.size() && by_ids(pairs_[old].a, pairs_[old].b, p.a, p.b)) end_pair(pairs_[old++]);
    const bool found = old < pairs_.size() && pairs_[old].a == p.a && pairs_[old].b == p.b;
    const bool known = found && pairs_[old].touches;
    if (found) ++old;
    if (known && !touches) {
      end_pair(pairs_[old - 1]);
      if (sleeps(world, p.a, p.b)) return;
    }
    now_.push_back({p.a, p.b, to_float(p.point), to_float(p.normal), touches});
    if (touches && (known ? settings.contact_stay : settings.contact_begin_and_end))
      events.push_back(with_pair(known ? Event::Kind::contact_stay : Event::Kind::contact_begin, p, time));
  };
  if (by_contact)
    visit_contacts(world, contacts, impulses.by_contact(), visit);
  else
    visit_pairs(world, contacts, impulses.pairs(), visit);
  while (old < pairs_.size()) end_pair(pairs_[old++]);
  // Pairs of sleeping bodies may have been appended out of order.
  const auto by_index = [](const Pair& x, const Pair& y) { return by_ids(x.a, x.b, y.a, y.b); };
  if (!std::is_sorted(now_.begin(), now_.end(), by_index)) std::stable_sort(now_.begin(), now_.end(), by_index);
  pairs_.swap(now_);
}

void ContactEvents::save(ByteWriter& out) const {
  const auto touches = [](const Pair& p) { return p.touches; };
  out.put_count(static_cast<std::size_t>(std::count_if(pairs_.begin(), pairs_.end(), touches)));
  for (const Pair& p : pairs_) {
    if (!p.touches) continue;
    out.put(p.a);
    out.put(p.b);
    out.put_display(to_double(p.point));
    out.put_display(to_double(p.normal));
  }
}

void ContactEvents::restore(ByteReader& in) {
  pairs_rest_ = false;
  bodies_ = 0;  // computed again
  pairs_.resize(in.count(40));
  for (Pair& p : pairs_) {
    p.a = in.id<BodyId>();
    p.b = in.id<BodyId>();
    p.point = to_float(in.display_vector());
    p.normal = to_float(in.display_vector());
    p.touches = true;
  }
}

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
