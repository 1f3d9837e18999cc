#include "narrowphase/find_contacts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "model/shape_index.h"
#include "narrowphase/quick_bounds.h"
#include "rigor/profile.h"

namespace rigor {

namespace {

constexpr std::size_t kBodiesPerTask = 128, kFewBodies = 1000, kFewComputed = 64;  // fewer are for one thread alone

/// How far a body may move in a time, m, and its box around the way of its center. What is slow for the envelope stays as it is.
double widen(Aabb& box, const Vec3& v, const Vec3& w, double time, double envelope) {
  if (time == 0 || !(length_squared(box.upper - box.lower) < Aabb::kInfinity)) return 0;
  const double radius = 0.5 * length(box.upper - box.lower), turn = std::min(time * length(w), 2.0);
  const double reach = time * length(v) + radius * turn;
  if (!(reach > envelope)) return 0;
  const Vec3 way = time * v, around{radius * turn, radius * turn, radius * turn};
  box.lower += min(way, Vec3{}) - around, box.upper += max(way, Vec3{}) + around;
  return reach;
}

}  // namespace

void ContactFinder::forget() {
  pairs_.clear();
  forget_contacts();
}

void ContactFinder::forget_contacts() {
  last_pairs_.clear(), memory_.clear(), contacts_.clear();
  first_contact_.assign(1, 0);
  computed_ = 0;
}

/// Pairs per zone. With several threads small zones cost more synchronisation than the caches save,
/// so zones are large.
std::size_t ContactFinder::zone_size(int threads) {
  constexpr std::size_t kForThreads = 8;
  return threads == 1 ? kPairsPerZone : kForThreads * kPairsPerZone * static_cast<std::size_t>(threads);
}

void ContactFinder::find(const World& world, Broadphase& broadphase, const Narrowphase& narrowphase, double envelope,
                         const ThreadPool& threads, double keep_within, double ahead) {
  if (epoch_ != world.epoch()) *this = ContactFinder();  // another world: ids mean other bodies
  epoch_ = world.epoch();
  // Nothing moves, so nothing is a pair.
  if (broadphase.is_off() || world.state().end(BodySet::kinematic) == 0) return forget();
  {
    const StageScope scope(Stage::broad_phase);
    update_bounds(world, envelope, threads, ahead);
    share_materials(world);
    broadphase.find_pairs(bounds_, pairs_);
    filter_pairs(world);
  }
  const StageScope scope(Stage::narrow_phase);
  match_pairs(world);
  const bool few = std::exchange(computed_, 0) < kFewComputed;  // the last time: a hint
  first_contact_.assign(1, 0);
  contacts_.begin_next();
  const std::size_t at_once = zone_size(threads.threads());
  for (std::size_t begin = 0; begin < pairs_.size(); begin += at_once) {
    const Zone zone{begin, std::min(begin + at_once, pairs_.size())};
    compute(world, narrowphase, {envelope, ahead}, keep_within, threads, zone, few);
    place_contacts(zone);
    collect(world, threads, zone);
  }
  contacts_.finish_next();
  is_complete_ = true;
}

void ContactFinder::update_bounds(const World& world, double envelope, const ThreadPool& threads, double ahead) {
  const BodyState& s = world.state();
  if (envelope != envelope_) seen_.clear();
  envelope_ = envelope;
  bounds_.resize(world.id_capacity());
  for (ProxyBounds& bounds : bounds_) bounds.present = false;
  frames_.resize(world.id_capacity());
  seen_.resize(world.id_capacity());
  known_.resize(world.id_capacity());
  const bool same_definitions = is_current(world);
  if (!same_definitions) find_joined(world);
  threads.for_range(
      s.size(), kBodiesPerTask,
      [&](std::size_t begin, std::size_t end) {
        for (std::uint32_t i = static_cast<std::uint32_t>(begin); i < end; ++i) {
          ProxyBounds& bounds = bounds_[s.id_index[i]];
          bounds.present = world.can_collide(i) && i < s.end(BodySet::still);
          if (!bounds.present) continue;
          // Kinematic bodies push others but do not meet fixed ones; sleeping bodies meet what moves.
          bounds.moves = i < s.end(BodySet::kinematic);
          const BodyId id = world.id_of(s.id_index[i]);
          Known& known = known_[id.index];
          if (!same_definitions || known.generation != id.generation) {
            known.material = kUnknown;
            known.is_reshaped = is_reshaped(world, id);
            known.shape_changes = world.shape_changes(i);
          }
          known.shape = world.collision_shape(i).get(), known.parts = part_index(*known.shape);
          known.slot = i, known.generation = id.generation;
          Seen& seen = seen_[s.id_index[i]];
          if (bounds.moves) {
            seen.shape = nullptr;  // it is somewhere else the next time
          } else {
            const Seen now{{s.position[i], s.orientation[i]},
                           world.shape_frame(i),
                           world.collision_shape(i).get(),
                           world.shape_changes(i)};
            if (seen == now) continue;  // what rests is where it was
            seen = now;
          }
          Transform& frame = frames_[s.id_index[i]];
          frame = Transform{s.position[i], s.orientation[i]} * world.shape_frame(i);
          bounds.box = body_bounds(*world.collision_shape(i), frame);
          const Vec3 margin{0.5 * envelope, 0.5 * envelope, 0.5 * envelope};
          known.reach = bounds.moves ? widen(bounds.box, s.velocity[i], s.angular_velocity[i], ahead, envelope) : 0;
          bounds.box.lower -= margin, bounds.box.upper += margin;
        }
      },
      kFewBodies);
}

namespace {

/// Bodies that joints connect, and whether their joints close loops. Fixed bodies connect nothing: what hangs on one side of them does
/// not depend on the other side. A group of n bodies with j joints among them and k joints to fixed bodies has
/// j − n + 1 + max(0, k − 1) loops.
class JointedGroups {
 public:
  explicit JointedGroups(const World& world) : world_(world), parent_(world.id_capacity()) {
    for (std::uint32_t i = 0; i < parent_.size(); ++i) parent_[i] = i;
    for (const JointId id : world.joints()) {
      const JointDef& joint = world.joint(id);
      if (!world.is_fixed(joint.a) && !world.is_fixed(joint.b)) parent_[root(joint.a.index)] = root(joint.b.index);
    }
    excess_.assign(parent_.size(), 1);
    held_.assign(parent_.size(), 0);
    for (const BodyId id : world.bodies())
      if (!world.is_fixed(id)) --excess_[root(id.index)];
    for (const JointId id : world.joints()) {
      const JointDef& joint = world.joint(id);
      const bool a = !world.is_fixed(joint.a), b = !world.is_fixed(joint.b);
      if (a && b) ++excess_[root(joint.a.index)];
      if (a != b) ++held_[root(a ? joint.a.index : joint.b.index)];
    }
  }
  /// A fixed body is in no group; the bodies that meet it decide.
  bool has_loops(BodyId id) {
    if (world_.is_fixed(id)) return true;
    const std::uint32_t group = root(id.index);
    return excess_[group] + std::max(0, held_[group] - 1) > 0;
  }

 private:
  std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  const World& world_;
  std::vector<std::uint32_t> parent_;  // by id index
  std::vector<int> excess_, held_;     // by root: j − n + 1, and k
};

}  // namespace

void ContactFinder::find_joined(const World& world) {
  for (Known& known : known_) known.is_joined = false;
  JointedGroups groups(world);
  for (const JointId id : world.joints())
    for (const BodyId end : {world.joint(id).a, world.joint(id).b}) {
      const std::uint32_t slot = world.slot(end);
      if (end == world.world_body() || !world.can_collide(slot) || !groups.has_loops(end)) continue;
      known_[end.index].is_joined = true;
    }
}

/// One copy of each material, so that contacts find them in the caches.
void ContactFinder::share_materials(const World& world) {
  constexpr std::size_t kFew = 16;  // bodies of one material often stand in a row
  if (!is_current(world)) materials_.clear();
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(known_.size()); ++i) {
    Known& known = known_[i];
    if (!bounds_[i].present || known.material != kUnknown) continue;
    const Material& own = world.body_def({i, known.generation}).material;
    const std::size_t first = materials_.size() - std::min(kFew, materials_.size());
    const auto found = std::find(materials_.begin() + static_cast<std::ptrdiff_t>(first), materials_.end(), own);
    known.material = static_cast<std::uint32_t>(found - materials_.begin());
    if (found == materials_.end()) materials_.push_back(own);
  }
}

void ContactFinder::filter_pairs(const World& world) {
  std::erase_if(pairs_, [&](const ProxyPair& p) { return !world.may_collide(known_[p.a].slot, known_[p.b].slot); });
}

/// Sorts the cached pairs into the order of the pairs, and finds the old contacts of each.
void ContactFinder::match_pairs(const World& world) {
  const bool same_definitions = is_current(world);
  definitions_ = world.definitions_version();
  if (!std::exchange(is_complete_, false)) forget_contacts();  // the last search was not finished
  old_first_contact_.swap(first_contact_);
  before_.resize(pairs_.size());
  const bool same_bodies = same_definitions && !std::exchange(is_restored_, false);
  if (same_bodies && pairs_ == last_pairs_) return std::iota(before_.begin(), before_.end(), 0U);
  std::uint32_t old = 0;  // both lists are sorted: one walk finds every pair again
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    while (old < last_pairs_.size() && last_pairs_[old] < pairs_[k]) ++old;
    before_[k] = old < last_pairs_.size() && last_pairs_[old] == pairs_[k] ? old++ : PairMemory::kNew;
  }
  memory_.follow(before_);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    if (!same_bodies || before_[k] == PairMemory::kNew) match_ids(k, same_definitions);
  last_pairs_ = pairs_;
}

/// Updates the ids of a pair that is new or whose indices may belong to other bodies now.
void ContactFinder::match_ids(std::size_t k, bool same_definitions) {
  KeptPair& pair = memory_[k];
  const BodyId a{pairs_[k].a, known_[pairs_[k].a].generation}, b{pairs_[k].b, known_[pairs_[k].b].generation};
  const bool is_reshaped = known_[a.index].is_reshaped || known_[b.index].is_reshaped;
  if (pair.a != a || pair.b != b || (!same_definitions && is_reshaped))
    pair = {.a = a, .b = b, .cache = {}, .pose = {}}, memory_.normal(k) = {};
  if (!same_definitions) pair.within = 0;  // shapes or materials may be others
}

/// True if the shape of a known body has changed since the last search.
bool ContactFinder::is_reshaped(const World& world, BodyId id) const {
  if (id.index >= known_.size() || !world.contains(id)) return false;
  const Known& known = known_[id.index];
  return known.generation == id.generation && known.shape_changes != kUnknown &&
         known.shape_changes != world.shape_changes(world.slot(id));
}

bool ContactFinder::is_current(const World& world) const { return definitions_ == world.definitions_version(); }

}  // namespace rigor
