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

/// A pair that touches at the end of the step or pushed within it.
struct StepPair {
  BodyId a, b;
  double impulse, speed;
  Vec3 point, normal;
};

/// Of contacts[begin, end), which belong to one pair.
StepPair touching_pair(const World& world, std::span<const Contact> contacts) {
  const Contact& first = contacts.front();
  const BodyState& s = world.state();
  const std::uint32_t slot = world.slot(first.a);
  StepPair pair{first.a, first.b, 0, 0, {}, first.normal};
  pair.point = s.position[slot] + rotate(s.orientation[slot], first.points[0].local_a);
  return pair;
}

double fastest_approach(std::span<const Contact> contacts) {
  double speed = -std::numeric_limits<double>::infinity();
  for (const Contact& c : contacts)
    for (int i = 0; i < c.count; ++i) speed = std::max(speed, c.points[static_cast<std::size_t>(i)].closing_speed);
  return speed;
}

/// Pairs that touch at the end, found by the last collision detection, and pairs that pushed at each other within the step and
/// have parted; with the impulses of the whole step, in the order of contact lists.
template <class Visit>
void visit_pairs(const World& world, const ContactList& contacts, std::span<const PairImpulse> impulses,
                 const Visit& visit) {
  std::size_t next = 0;
  const auto visit_parted = [&](const auto& is_before) {
    for (; next < impulses.size() && is_before(impulses[next]); ++next) {
      const PairImpulse& p = impulses[next];
      if (p.impulse > 0 && world.contains(p.a) && world.contains(p.b))
        visit(StepPair{p.a, p.b, p.impulse, p.speed, p.point, p.normal});
    }
  };
  for (std::size_t i = 0, end = 0; i < contacts.size(); i = end) {
    bool touching = false;
    for (end = i; end < contacts.size() && contacts[end].a == contacts[i].a && contacts[end].b == contacts[i].b; ++end)
      touching = touching || is_touching(contacts[end]);
    if (!touching || !world.contains(contacts[i].a) || !world.contains(contacts[i].b)) continue;
    const std::span<const Contact> of_pair = std::span(contacts).subspan(i, end - i);
    StepPair pair = touching_pair(world, of_pair);
    visit_parted([&](const PairImpulse& p) { return by_ids(p.a, p.b, pair.a, pair.b); });
    if (next < impulses.size() && impulses[next].a == pair.a && impulses[next].b == pair.b) {
      pair.impulse = impulses[next].impulse, pair.speed = impulses[next].speed;
      ++next;
    } else {
      pair.speed = fastest_approach(of_pair);
    }
    visit(pair);
  }
  visit_parted([](const PairImpulse&) { return true; });
}

/// The same where every contact of the list has its entry; those of one pair stand side by side.
template <class Visit>
void visit_contacts(const World& world, std::span<const PairImpulse> impulses, const Visit& visit) {
  for (std::size_t i = 0, end = 0; i < impulses.size(); i = end) {
    const PairImpulse& first = impulses[i];
    StepPair pair{first.a, first.b, first.impulse, first.speed, first.point, first.normal};
    bool counts = first.touching || first.impulse > 0;
    for (end = i + 1; end < impulses.size() && impulses[end].a == pair.a && impulses[end].b == pair.b; ++end) {
      pair.impulse += impulses[end].impulse, pair.speed = std::max(pair.speed, impulses[end].speed);
      counts = counts || impulses[end].touching || impulses[end].impulse > 0;
    }
    if (counts && world.contains(pair.a) && world.contains(pair.b)) visit(pair);
  }
}

std::array<float, 3> to_float(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
Vec3 to_double(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

bool is_awake(const World& world, BodyId id) { return world.contains(id) && world.slot(id) < world.state().awake(); }

}  // namespace

void ContactEvents::update(const World& world, const ContactList& contacts, StepImpulses& impulses, double time,
                           const EventSettings& settings, std::vector<Event>& events) {
  const bool is_still = world.state().end(BodySet::kinematic) == 0 && contacts.empty();
  const bool same_bodies = std::exchange(bodies_, world.body_count()) == world.body_count();
  if (is_still && same_bodies && pairs_rest_) return;
  pairs_rest_ = is_still;
  now_.clear();
  const auto end_pair = [&](const Pair& p) {
    // Pairs that sleep are not looked at by collision detection; they touch as before.
    const bool both_there = world.contains(p.a) && world.contains(p.b);
    if (both_there && !is_awake(world, p.a) && !is_awake(world, p.b)) return now_.push_back(p);
    if (settings.contact_begin_and_end)
      events.push_back({Event::Kind::contact_end, time, p.a, p.b, {}, 0, 0, to_double(p.point), to_double(p.normal)});
  };
  std::size_t old = 0;
  const auto visit = [&](const StepPair& p) {
    while (old < pairs_.size() && by_ids(pairs_[old].a, pairs_[old].b, p.a, p.b)) end_pair(pairs_[old++]);
    const bool known = old < pairs_.size() && pairs_[old].a == p.a && pairs_[old].b == p.b;
    if (known) ++old;
    now_.push_back({p.a, p.b, to_float(p.point), to_float(p.normal)});
    if (known ? settings.contact_stay : settings.contact_begin_and_end)
      events.push_back({known ? Event::Kind::contact_stay : Event::Kind::contact_begin,
                        time,
                        p.a,
                        p.b,
                        {},
                        p.impulse,
                        p.speed,
                        p.point,
                        p.normal});
  };
  if (impulses.is_by_contact() && impulses.by_contact().size() == contacts.size())
    visit_contacts(world, impulses.by_contact(), visit);
  else
    visit_pairs(world, contacts, impulses.pairs(), visit);
  while (old < pairs_.size()) end_pair(pairs_[old++]);
  // Pairs kept for sleeping bodies may have come in out of order.
  const auto by_index = [](const Pair& x, const Pair& y) { return by_ids(x.a, x.b, y.a, y.b); };
  if (!std::is_sorted(now_.begin(), now_.end(), by_index)) std::stable_sort(now_.begin(), now_.end(), by_index);
  pairs_.swap(now_);
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
