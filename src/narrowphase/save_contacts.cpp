// Contacts and pair caches as bytes for snapshots. Exact is what the next step reads: ids, parts, keys, directions, impulses
// and caches, and the points of contacts that may be kept; other points and all separations are found anew in it and are
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

constexpr std::size_t kSmallestContact = 82, kSurfaceSize = 72, kSmallestPair = 22;

}  // namespace

void ContactFinder::save(const World& world, ByteWriter& out) const {
  const bool known = epoch_ == world.epoch();  // otherwise the next search drops all of it
  out.put_count(known ? contacts_.size() : 0);
  SurfaceTable surfaces;
  // Definitions that changed since drop what was kept.
  const bool current = known && is_current(world);
  std::size_t at = 0;  // both lists are sorted
  for (std::size_t i = 0; known && i < contacts_.size(); ++i) {
    const Contact& c = contacts_[i];
    while (at < kept_.size() && std::pair(kept_[at].a.index, kept_[at].b.index) < std::pair(c.a.index, c.b.index)) ++at;
    const bool may_keep = current && at < kept_.size() && kept_[at].a == c.a && kept_[at].b == c.b;
    put_contact(out, c, surfaces, may_keep && kept_[at].within > 0);
  }
  out.put_count(surfaces.lines().size());
  for (const Surface& s : surfaces.lines()) {
    for (const double v : s.numbers) out.put(v);
    out.put(s.velocity);
  }
  out.put_count(known ? kept_.size() : 0);
  for (std::size_t i = 0; known && i < kept_.size(); ++i) {
    const KeptPair& pair = kept_[i];
    const bool has_axis = !is_zero(pair.cache.axis);
    out.put(pair.a), out.put(pair.b);
    out.put(pair.cache.feature << 1 | std::uint32_t{has_axis});
    out.put(pair.cache.feature >> 31 != 0);
    if (has_axis) out.put(pair.cache.axis);
    const bool may_keep = current && pair.within > 0;
    out.put(may_keep);
    if (!may_keep) continue;
    out.put(pair.pose), out.put(pair.normal), out.put(pair.within), out.put(pair.reach);
    out.put(pair.a_is_smaller), out.put(pair.is_new), out.put(pair.contacts > 0);
  }
}

/// A file may say that a contact was kept that is not there.
void ContactFinder::drop_unmatched() {
  std::size_t i = 0;
  for (KeptPair& pair : kept_) {
    const auto key = std::pair(pair.a.index, pair.b.index);
    while (i < contacts_.size() && std::pair(contacts_[i].a.index, contacts_[i].b.index) < key) ++i;
    const bool is_there = i < contacts_.size() && contacts_[i].a == pair.a && contacts_[i].b == pair.b;
    if (is_there != (pair.contacts > 0)) pair.within = 0;
  }
}

void ContactFinder::restore(const World& world, ByteReader& in) {
  epoch_ = world.epoch(), definitions_ = world.definitions_version();
  last_pairs_.clear(), first_contact_.clear();
  seen_.clear(), known_.clear(), materials_.clear();  // poses, shapes and materials may be others
  contacts_.resize(in.count(kSmallestContact));
  std::vector<std::uint32_t> lines(contacts_.size());
  for (std::size_t i = 0; i < contacts_.size(); ++i) contacts_[i] = get_contact(in, lines[i]);
  const auto by_bodies = [](const Contact& x, const Contact& y) {
    return std::pair(x.a.index, x.b.index) < std::pair(y.a.index, y.b.index);
  };
  ByteReader::check(std::is_sorted(contacts_.begin(), contacts_.end(), by_bodies), "contacts are out of order");
  std::vector<Surface> surfaces(in.count(kSurfaceSize));
  for (Surface& s : surfaces) {
    for (double& v : s.numbers) v = in.number();
    s.velocity = in.vector();
  }
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    ByteReader::check(lines[i] < surfaces.size(), "a contact has no surface");
    set_surface(contacts_[i], surfaces[lines[i]]);
  }
  kept_.resize(in.count(kSmallestPair));
  for (KeptPair& pair : kept_) {
    pair.a = in.id<BodyId>(), pair.b = in.id<BodyId>();
    const auto word = in.get<std::uint32_t>();
    pair.cache.feature = word >> 1 | std::uint32_t{in.flag()} << 31;
    pair.cache.axis = word & 1 ? in.vector() : Vec3{};
    pair.within = 0;
    if (!in.flag()) continue;
    pair.pose = in.transform(), pair.normal = in.vector();
    pair.within = in.number(), pair.reach = in.number();
    pair.a_is_smaller = in.flag(), pair.is_new = in.flag(), pair.contacts = in.flag();
    if (pair.contacts > 0) in.checked_direction(pair.normal);
  }
  const auto by_pairs = [](const KeptPair& x, const KeptPair& y) {
    return std::pair(x.a.index, x.b.index) < std::pair(y.a.index, y.b.index);
  };
  ByteReader::check(std::is_sorted(kept_.begin(), kept_.end(), by_pairs), "pairs are out of order");
  drop_unmatched();
}

}  // namespace rigor
