#include "narrowphase/find_contacts.h"

#include <algorithm>

#include "model/shape_index.h"
#include "narrowphase/quick_bounds.h"
#include "rigor/profile.h"

namespace rigor {

namespace {

constexpr std::size_t kBodiesPerTask = 128, kFewBodies = 1000;  // fewer are for one thread alone

}  // namespace

void ContactFinder::forget() {
  pairs_.clear(), last_pairs_.clear(), kept_.clear(), first_contact_.clear(), contacts_.clear(), chunks_.clear();
}

void ContactFinder::find(const World& world, Broadphase& broadphase, const Narrowphase& narrowphase, double envelope,
                         const ThreadPool& threads, double keep_within) {
  if (epoch_ != world.epoch()) *this = ContactFinder();  // another world: ids mean other bodies
  epoch_ = world.epoch();
  // Nothing moves, so nothing is a pair.
  if (broadphase.is_off() || world.state().end(BodySet::kinematic) == 0) return forget();
  {
    const StageScope scope(Stage::broad_phase);
    update_bounds(world, envelope, threads);
    share_materials(world);
    broadphase.find_pairs(bounds_, pairs_);
    filter_pairs(world);
  }
  const StageScope scope(Stage::narrow_phase);
  match_pairs(world);
  compute(world, narrowphase, envelope, keep_within, threads);
  collect(world, threads);
}

void ContactFinder::update_bounds(const World& world, double envelope, const ThreadPool& threads) {
  const BodyState& s = world.state();
  if (envelope != envelope_) seen_.clear();
  envelope_ = envelope;
  bounds_.resize(world.id_capacity());
  for (ProxyBounds& bounds : bounds_) bounds.present = false;
  frames_.resize(world.id_capacity());
  seen_.resize(world.id_capacity());
  known_.resize(world.id_capacity());
  const bool same_definitions = is_current(world);
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
          if (!same_definitions || known.generation != id.generation) known.material = kUnknown;
          known.shape = world.collision_shape(i).get(), known.parts = part_index(*known.shape);
          known.slot = i, known.generation = id.generation;
          const Seen now{{s.position[i], s.orientation[i]}, world.shape_frame(i), world.collision_shape(i).get()};
          if (!bounds.moves && seen_[s.id_index[i]] == now) continue;  // what rests is where it was
          seen_[s.id_index[i]] = now;
          Transform& frame = frames_[s.id_index[i]];
          frame = Transform{s.position[i], s.orientation[i]} * world.shape_frame(i);
          bounds.box = body_bounds(*world.collision_shape(i), frame);
          const Vec3 margin{0.5 * envelope, 0.5 * envelope, 0.5 * envelope};
          bounds.box.lower -= margin, bounds.box.upper += margin;
        }
      },
      kFewBodies);
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

/// Brings what is remembered into the order of the pairs.
void ContactFinder::match_pairs(const World& world) {
  const bool same_definitions = is_current(world);
  definitions_ = world.definitions_version();
  if (same_definitions && kept_.size() == pairs_.size() && pairs_ == last_pairs_) return;
  last_pairs_ = pairs_;
  first_contact_.clear();  // contacts may have to move
  kept_.swap(old_kept_);
  kept_.resize(pairs_.size());
  std::size_t old = 0;  // both lists are sorted: one walk finds every pair again
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const ProxyPair pair = pairs_[k];
    const BodyId a{pair.a, known_[pair.a].generation}, b{pair.b, known_[pair.b].generation};
    while (old < old_kept_.size() && ProxyPair{old_kept_[old].a.index, old_kept_[old].b.index} < pair) ++old;
    const bool known = old < old_kept_.size() && old_kept_[old].a == a && old_kept_[old].b == b;
    KeptPair& now = kept_[k];
    if (known && old_kept_[old].within > 0) {
      now = old_kept_[old];
      if (!same_definitions) now.within = 0;  // shapes or materials may be others
    } else {                                  // the rest is of no use until the contact is computed
      now.a = a, now.b = b, now.within = 0, now.is_new = false;
      now.cache = known ? old_kept_[old].cache : PairCache{};
      now.contacts = known ? old_kept_[old].contacts : 0;
    }
  }
}

bool ContactFinder::is_current(const World& world) const { return definitions_ == world.definitions_version(); }

}  // namespace rigor
