#include "lab/torture/pinch_watch.h"

#include <algorithm>
#include <map>

namespace rigor {

namespace {

bool is_mover(const World& world, BodyId id) {
  return world.is_fixed(id) && (world.velocity(id) != Vec3{} || world.angular_velocity(id) != Vec3{});
}

Vec3 velocity_at(const World& world, BodyId id, const Vec3& point) {
  return world.velocity(id) + cross(world.angular_velocity(id), point - world.center_of_mass(id));
}

/// Groups of bodies by a member of each.
class Groups {
 public:
  BodyId root(BodyId id) {
    const auto found = parent_.try_emplace(id, id).first;
    if (found->second == id) return id;
    const BodyId top = root(found->second);
    return parent_[id] = top;
  }
  void unite(BodyId a, BodyId b) { parent_[root(a)] = root(b); }

 private:
  std::map<BodyId, BodyId> parent_;
};

}  // namespace

PinchWatch::PinchWatch(const World& world) {
  for (const BodyId id : world.bodies()) has_movers_ = has_movers_ || is_mover(world, id);
}

PinchWatch::Looked PinchWatch::find_holds(const World& world, const ContactList& contacts) {
  Looked found;
  const auto connect = [&](BodyId a, BodyId b, const Vec3& point, bool pulls) {
    if (world.is_fixed(a)) std::swap(a, b);
    if (!world.is_fixed(b))
      found.links.emplace_back(a, b);
    else
      found.holds.push_back({a, b, point, velocity_at(world, b, point), pulls});
  };
  const BodyState& state = world.state();
  for (const Contact& c : contacts) {
    const std::uint32_t slot = world.slot(c.a);
    for (int i = 0; i < c.count; ++i) {
      const Vec3& local = c.points[static_cast<std::size_t>(i)].local_a;
      connect(c.a, c.b, state.position[slot] + rotate(state.orientation[slot], local), false);
    }
  }
  for (const JointId id : world.joints()) {
    const JointDef& def = world.joint(id);
    connect(def.a, def.b, world.to_world(def.a, def.frame_a.translation), true);
  }
  return found;
}

void PinchWatch::look(const World& world, const ContactList& contacts) {
  if (!has_movers_) return;
  Looked now = find_holds(world, contacts);
  Groups groups;
  std::vector<Hold> holds = now.holds;
  for (const Looked* looked : {&now, &last_})
    for (const auto& [a, b] : looked->links) groups.unite(a, b);
  holds.insert(holds.end(), last_.holds.begin(), last_.holds.end());
  last_ = std::move(now);
  std::set<BodyId> pinched;
  for (std::size_t i = 0; i < holds.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Hold &p = holds[i], &q = holds[j];
      if (p.fixed == q.fixed || groups.root(p.body) != groups.root(q.body)) continue;
      const bool closes = dot(p.velocity - q.velocity, q.point - p.point) > 0;
      const bool parts = (p.pulls || q.pulls) && p.velocity != q.velocity;
      if (closes || parts) pinched.insert(groups.root(p.body));
    }
  if (pinched.empty()) return;
  for (const BodyId id : world.bodies())
    if (!world.is_fixed(id) && pinched.count(groups.root(id)) > 0) excused_.insert(id);
}

}  // namespace rigor
