#include "world/contact_events.h"

#include <algorithm>

#include "islands/islands.h"
#include "state/bytes.h"

namespace rigor {

const char* to_string(Event::Kind kind) {
  static constexpr const char* kNames[] = {"joint-broken",  "body-asleep",  "body-awake", "body-removed",
                                           "contact-begin", "contact-stay", "contact-end"};
  return kNames[static_cast<int>(kind)];
}

namespace {

bool by_ids(BodyId a, BodyId b, BodyId c, BodyId d) {
  return std::pair(a.index, b.index) < std::pair(c.index, d.index);
}

/// Pairs that touch at the end, found by the last collision detection.
std::vector<Event> touching_pairs(const World& world, const ContactList& contacts, double time) {
  const BodyState& s = world.state();
  std::vector<Event> pairs;
  for (std::size_t i = 0, end = 0; i < contacts.size(); i = end) {
    bool touching = false;
    for (end = i; end < contacts.size() && contacts[end].a == contacts[i].a && contacts[end].b == contacts[i].b; ++end)
      touching = is_touching(contacts[end]) || touching;
    const Contact& first = contacts[i];
    if (!touching || !world.contains(first.a) || !world.contains(first.b)) continue;
    Event e{Event::Kind::contact_stay, time, first.a, first.b, {}, 0, -std::numeric_limits<double>::infinity(), {}, {}};
    const std::uint32_t slot = world.slot(first.a);
    e.normal = first.normal;
    e.point = s.position[slot] + rotate(s.orientation[slot], first.points[0].local_a);
    for (std::size_t k = i; k < end; ++k)
      for (int p = 0; p < contacts[k].count; ++p)
        e.speed = std::max(e.speed, contacts[k].points[static_cast<std::size_t>(p)].closing_speed);
    pairs.push_back(e);
  }
  return pairs;
}

/// Those, and pairs that pushed at each other within the step and have parted; with the impulses of the whole step.
std::vector<Event> pairs_of_step(const World& world, const ContactList& contacts, std::span<const PairImpulse> impulses,
                                 double time) {
  const std::vector<Event> touching = touching_pairs(world, contacts, time);
  std::vector<Event> pairs;
  pairs.reserve(touching.size());
  std::size_t next = 0;
  const auto take_parted = [&](const auto& is_before) {
    for (; next < impulses.size() && is_before(impulses[next]); ++next) {
      const PairImpulse& p = impulses[next];
      if (p.impulse > 0 && world.contains(p.a) && world.contains(p.b))
        pairs.push_back({Event::Kind::contact_stay, time, p.a, p.b, {}, p.impulse, p.speed, p.point, p.normal});
    }
  };
  for (const Event& e : touching) {
    take_parted([&](const PairImpulse& p) { return by_ids(p.a, p.b, e.a, e.b); });
    pairs.push_back(e);
    if (next == impulses.size() || impulses[next].a != e.a || impulses[next].b != e.b) continue;
    pairs.back().impulse = impulses[next].impulse, pairs.back().speed = impulses[next].speed;
    ++next;
  }
  take_parted([](const PairImpulse&) { return true; });
  return pairs;
}

std::array<float, 3> to_float(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
Vec3 to_double(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

bool is_awake(const World& world, BodyId id) { return world.contains(id) && world.slot(id) < world.state().awake(); }

}  // namespace

void ContactEvents::update(const World& world, const ContactList& contacts, std::span<const PairImpulse> impulses,
                           double time, const EventSettings& settings, std::vector<Event>& events) {
  const bool is_still = world.state().end(BodySet::kinematic) == 0 && contacts.empty();
  const bool same_bodies = std::exchange(bodies_, world.body_count()) == world.body_count();
  if (is_still && same_bodies && pairs_rest_) return;
  pairs_rest_ = is_still;
  std::vector<Pair> now;
  now.reserve(pairs_.size());
  const auto end_pair = [&](const Pair& p) {
    // Pairs that sleep are not looked at by collision detection; they touch as before.
    const bool both_there = world.contains(p.a) && world.contains(p.b);
    if (both_there && !is_awake(world, p.a) && !is_awake(world, p.b)) return now.push_back(p);
    if (settings.contact_begin_and_end)
      events.push_back({Event::Kind::contact_end, time, p.a, p.b, {}, 0, 0, to_double(p.point), to_double(p.normal)});
  };
  std::size_t old = 0;
  for (Event& e : pairs_of_step(world, contacts, impulses, time)) {
    while (old < pairs_.size() && by_ids(pairs_[old].a, pairs_[old].b, e.a, e.b)) end_pair(pairs_[old++]);
    const bool known = old < pairs_.size() && pairs_[old].a == e.a && pairs_[old].b == e.b;
    e.kind = known ? Event::Kind::contact_stay : Event::Kind::contact_begin;
    if (known) ++old;
    now.push_back({e.a, e.b, to_float(e.point), to_float(e.normal)});
    if (known ? settings.contact_stay : settings.contact_begin_and_end) events.push_back(e);
  }
  while (old < pairs_.size()) end_pair(pairs_[old++]);
  // Pairs kept for sleeping bodies may have come in out of order.
  const auto by_index = [](const Pair& x, const Pair& y) { return by_ids(x.a, x.b, y.a, y.b); };
  if (!std::is_sorted(now.begin(), now.end(), by_index)) std::stable_sort(now.begin(), now.end(), by_index);
  pairs_ = std::move(now);
}

void ContactEvents::save(ByteWriter& out) const {
  out.put_count(pairs_.size());
  for (const Pair& p : pairs_) {
    out.put(p.a), out.put(p.b);
    out.put_display(to_double(p.point)), out.put_display(to_double(p.normal));
  }
}

void ContactEvents::restore(ByteReader& in) {
  pairs_rest_ = false, bodies_ = 0;  // looked at anew
  pairs_.resize(in.count(40));
  for (Pair& p : pairs_) {
    p.a = in.id<BodyId>(), p.b = in.id<BodyId>();
    p.point = to_float(in.display_vector()), p.normal = to_float(in.display_vector());
  }
}

}  // namespace rigor
