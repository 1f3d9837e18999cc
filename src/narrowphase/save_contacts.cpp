// Contacts and pair caches as bytes for snapshots. Exact is what the next step reads: ids, parts, keys, directions, impulses
// and caches, and the points of contacts that may be reused; other points and all separations are found anew in it and are
// floats. Contacts of one kind of surface share a line of a table; numbers that are nearly always zero have a flag.
#include <algorithm>

#include "narrowphase/find_contacts.h"
#include "state/bytes.h"

namespace rigor {

namespace {

/// How two surfaces rub, of a contact.
struct Surface {
  std::array<double, 6> numbers;
  Vec3 velocity;
  bool operator==(const Surface&) const = default;
};

Surface surface_of(const Contact& c) {
  return {{c.friction, c.restitution, c.static_friction, c.friction_across, c.rolling_friction, c.spinning_friction},
          c.surface_velocity};
}

void set_surface(Contact& c, const Surface& s) {
  c.friction = s.numbers[0], c.restitution = s.numbers[1], c.static_friction = s.numbers[2];
  c.friction_across = s.numbers[3], c.rolling_friction = s.numbers[4], c.spinning_friction = s.numbers[5];
  c.surface_velocity = s.velocity;
  c.is_plain = c.friction_across == 1 && c.rolling_friction == 0 && c.spinning_friction == 0 && s.velocity == Vec3{};
}

class SurfaceTable {
 public:
  /// The line of a surface; belts that turn would fill the table, so that only the last lines are looked through.
  std::uint32_t line(const Surface& s) {
    constexpr std::size_t kFew = 64;
    for (std::size_t i = lines_.size(); i > 0 && lines_.size() - i < kFew; --i)
      if (lines_[i - 1] == s) return static_cast<std::uint32_t>(i - 1);
    lines_.push_back(s);
    return static_cast<std::uint32_t>(lines_.size() - 1);
  }
  const std::vector<Surface>& lines() const { return lines_; }

 private:
  std::vector<Surface> lines_;
};

enum PointFlags : std::uint8_t { kPersisted = 1, kRolling = 2, kApproach = 4, kExact = 8 };

void put_point(ByteWriter& out, const ContactPoint& p, bool exact) {
  const bool rolling = !is_zero({p.rolling_impulse[0], p.rolling_impulse[1], p.spinning_impulse});
  const bool approach = !is_zero(p.approach_speed);
  out.put(static_cast<std::uint8_t>((p.persisted ? kPersisted : 0) | (rolling ? kRolling : 0) |
                                    (approach ? kApproach : 0) | (exact ? kExact : 0)));
  out.put(p.key);
  out.put(p.normal_impulse), out.put(p.tangent_impulse[0]), out.put(p.tangent_impulse[1]);
  if (rolling) out.put(p.rolling_impulse[0]), out.put(p.rolling_impulse[1]), out.put(p.spinning_impulse);
  if (approach) out.put(p.approach_speed);
  if (exact)
    out.put(p.local_a), out.put(p.local_b);
  else
    out.put_display(p.local_a), out.put_display(p.local_b);
  out.put_display(p.separation), out.put_display(p.closing_speed);
}

ContactPoint get_point(ByteReader& in) {
  ContactPoint p;
  const auto flags = in.get<std::uint8_t>();
  ByteReader::check(flags <= (kPersisted | kRolling | kApproach | kExact), "a contact has unknown flags");
  p.persisted = flags & kPersisted;
  p.key = in.get<std::uint32_t>();
  p.normal_impulse = in.number();
  for (double& impulse : p.tangent_impulse) impulse = in.number();
  if (flags & kRolling) {
    for (double& impulse : p.rolling_impulse) impulse = in.number();
    p.spinning_impulse = in.number();
  }
  if (flags & kApproach) p.approach_speed = in.number();
  if (flags & kExact)
    p.local_a = in.vector(), p.local_b = in.vector();
  else
    p.local_a = in.display_vector(), p.local_b = in.display_vector();
  p.separation = in.display(), p.closing_speed = in.display();
  return p;
}

void put_contact(ByteWriter& out, const Contact& c, SurfaceTable& surfaces, bool exact) {
  out.put(c.a), out.put(c.b);
  out.put(c.part_a), out.put(c.part_b);
  out.put(c.normal), out.put(c.tangent);
  out.put(surfaces.line(surface_of(c)));
  out.put(c.directed);
  out.put(static_cast<std::uint8_t>(c.count));
  for (int i = 0; i < c.count; ++i) put_point(out, c.points[static_cast<std::size_t>(i)], exact);
}

/// Leaves the line of the surface in `surface`.
Contact get_contact(ByteReader& in, std::uint32_t& surface) {
  Contact c;
  c.a = in.id<BodyId>(), c.b = in.id<BodyId>();
  c.part_a = in.get<std::uint32_t>(), c.part_b = in.get<std::uint32_t>();
  c.normal = in.checked_direction(in.vector()), c.tangent = in.checked_direction(in.vector());
  surface = in.get<std::uint32_t>();
  c.directed = in.flag();
  c.count = in.get<std::uint8_t>();
  ByteReader::check(c.count >= 1 && c.count <= 4, "a contact has too many points");
  for (int i = 0; i < c.count; ++i) c.points[static_cast<std::size_t>(i)] = get_point(in);
  return c;
}

template <class Pair> ProxyPair index_pair(const Pair& p) { return {p.a.index, p.b.index}; }

constexpr std::size_t kSmallestContact = 82, kSurfaceSize = 72;  // bytes

}  // namespace

void ContactFinder::save(const World& world, ByteWriter& out) const {
  const bool known = epoch_ == world.epoch();  // otherwise the next search drops all of it
  out.put_count(known ? contacts_.size() : 0);
  SurfaceTable surfaces;
  // Definitions that changed since drop what was cached.
  const bool current = known && is_current(world);
  std::size_t at = 0;  // both lists are sorted
  for (std::size_t i = 0; known && i < contacts_.size(); ++i) {
    const Contact& c = contacts_[i];
    while (at < pairs_.size() && index_pair(pairs_[at]) < index_pair(c)) ++at;
    const bool may_reuse = current && at < pairs_.size() && pairs_[at].a == c.a && pairs_[at].b == c.b;
    put_contact(out, c, surfaces, may_reuse && pairs_[at].within > 0);
  }
  out.put_count(surfaces.lines().size());
  for (const Surface& s : surfaces.lines()) {
    for (const double v : s.numbers) out.put(v);
    out.put(s.velocity);
  }
  if (known)
    pairs_.save(world, proxies_, current, out);
  else
    out.put_count(0);
}

/// A file may claim that a contact was reused that it does not contain.
void ContactFinder::drop_unmatched() {
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const std::uint32_t first = first_contact_[k];
    const bool is_there =
        first < first_contact_[k + 1] && contacts_[first].a == pairs_[k].a && contacts_[first].b == pairs_[k].b;
    if (is_there != (pairs_[k].contacts > 0)) pairs_[k].within = 0;
  }
}

void ContactFinder::restore(const World& world, ByteReader& in) {
  epoch_ = world.epoch();
  definitions_ = world.definitions_version();
  is_complete_ = true;
  forget();
  proxies_.clear();
  std::vector<std::uint32_t> lines(in.count(kSmallestContact));
  for (std::uint32_t& line : lines) contacts_.push_back(get_contact(in, line));
  const auto by_bodies = [](const Contact& x, const Contact& y) { return index_pair(x) < index_pair(y); };
  ByteReader::check(std::is_sorted(contacts_.begin(), contacts_.end(), by_bodies), "contacts are out of order");
  std::vector<Surface> surfaces(in.count(kSurfaceSize));
  for (Surface& s : surfaces) {
    for (double& v : s.numbers) {
      v = in.number();
      ByteReader::check(v >= 0, "a contact has a negative friction or restitution");
    }
    s.velocity = in.vector();
  }
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    ByteReader::check(lines[i] < surfaces.size(), "a contact has no surface");
    set_surface(contacts_[i], surfaces[lines[i]]);
  }
  pairs_.restore(in);
  place_restored();
  drop_unmatched();
}

/// Finds the contacts of each pair. Contacts of pairs without a cache are matched as others are.
void ContactFinder::place_restored() {
  std::vector<ProxyPair> all = pairs_.last();
  for (const Contact& c : contacts_) all.push_back(index_pair(c));
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  first_contact_.clear();
  std::uint32_t contact = 0;
  for (const ProxyPair& pair : all) {
    while (contact < contacts_.size() && index_pair(contacts_[contact]) < pair) ++contact;
    first_contact_.push_back(contact);
  }
  first_contact_.push_back(static_cast<std::uint32_t>(contacts_.size()));
  pairs_.extend(std::move(all));
  for (std::size_t k = 0; k < pairs_.size(); ++k) {  // pairs that only a contact names get its bodies
    const std::uint32_t first = first_contact_[k];
    if (pairs_[k].a || first == first_contact_[k + 1]) continue;
    pairs_[k].a = contacts_[first].a;
    pairs_[k].b = contacts_[first].b;
  }
}

}  // namespace rigor
