#include "world/contact_events.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "islands/islands.h"
#include "math/prefetch.h"
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
  if (by_contact && !settings.contact_stay && update_in_place(world, contacts, impulses.by_contact(), threads))
    return report_changed(world, contacts, impulses.by_contact(), time, settings, events);
  now_.clear();
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

}  // namespace rigor
