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

/// All manifolds of one pair as one event.
Event summary(const World& world, std::span<const Contact> contacts, double time) {
  const BodyState& s = world.state();
  const Contact& first = contacts.front();
  Event e{Event::Kind::contact_stay, time, first.a, first.b, {}, 0, -std::numeric_limits<double>::infinity(), {}, {}};
  e.normal = first.normal;
  const std::uint32_t slot = world.slot(first.a);
  e.point = s.position[slot] + rotate(s.orientation[slot], first.points[0].local_a);
  for (const Contact& c : contacts)
    for (int i = 0; i < c.count; ++i) {
      e.impulse += c.points[static_cast<std::size_t>(i)].normal_impulse;
      e.speed = std::max(e.speed, c.points[static_cast<std::size_t>(i)].closing_speed);
    }
  return e;
}

std::array<float, 3> to_float(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
Vec3 to_double(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

bool is_awake(const World& world, BodyId id) { return world.contains(id) && world.slot(id) < world.state().awake(); }

}  // namespace

void ContactEvents::update(const World& world, const ContactList& contacts, double time, const EventSettings& settings,
                           std::vector<Event>& events) {
  const auto before = [](BodyId a, BodyId b, const Pair& p) {
    return std::pair(p.a.index, p.b.index) < std::pair(a.index, b.index);
  };
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
  for (std::size_t i = 0; i < contacts.size();) {
    std::size_t end = i;
    bool touching = false;
    while (end < contacts.size() && contacts[end].a == contacts[i].a && contacts[end].b == contacts[i].b)
      touching = is_touching(contacts[end++]) || touching;
    const std::span<const Contact> pair = std::span(contacts).subspan(i, end - i);
    i = end;
    const BodyId a = pair.front().a, b = pair.front().b;
    if (!touching || !world.contains(a) || !world.contains(b)) continue;
    while (old < pairs_.size() && before(a, b, pairs_[old])) end_pair(pairs_[old++]);
    const bool known = old < pairs_.size() && pairs_[old].a == a && pairs_[old].b == b;
    Event e = summary(world, pair, time);
    e.kind = known ? Event::Kind::contact_stay : Event::Kind::contact_begin;
    if (known) ++old;
    now.push_back({a, b, to_float(e.point), to_float(e.normal)});
    if (known ? settings.contact_stay : settings.contact_begin_and_end) events.push_back(e);
  }
  while (old < pairs_.size()) end_pair(pairs_[old++]);
  // Pairs kept for sleeping bodies may have come in out of order.
  const auto by_index = [](const Pair& x, const Pair& y) {
    return std::pair(x.a.index, x.b.index) < std::pair(y.a.index, y.b.index);
  };
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
