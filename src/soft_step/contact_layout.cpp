// Which contact of a step stands in which lane of which block.
//
// Contacts of one colour share no body, so that their order within it does not change what comes out. It is chosen so that blocks
// end early together (contact_kernels.cpp), by what the contacts carried in the last step. While the contacts stay the same ones,
// they stay where they are.
#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

#include "soft_step/contact_lanes.h"

namespace rigor {

namespace {

constexpr std::size_t kRunBuckets = (kOverflow + 1) * kBlockPoints;
constexpr std::size_t kLoads = 3, kSomePush = 1;  // all points of a contact push, some, none

/// Single points with rolling or spinning friction are solved by other formulas than those without, which round otherwise.
bool is_turning_point(const StepContact& c) { return c.points == 1 && turns(*c.contact); }

/// Steps after which contacts are sorted anew by what they carry; chosen.
constexpr int kSortAgain = 10;

}  // namespace

/// Whether the contacts are those of the last step, and were sorted not long ago.
bool ContactLanes::is_laid_out(const ConstraintList& list, std::uint32_t awake, const ThreadPool& threads) {
  const auto same = [&](std::size_t k) {
    const Placed& p = placed_[k];
    const StepContact& c = list.contacts[k];
    return p.slot_a == c.slot_a && p.slot_b == c.slot_b && p.points == c.points && p.group == group_of(c) &&
           p.turns == is_turning_point(c);
  };
  const auto is_alike = [](const LaneGroup& x, const LaneGroup& y) { return x.count == y.count && x.pace == y.pace; };
  const bool is_same = std::exchange(placed_awake_, awake) == awake && placed_.size() == list.contacts.size() &&
                       std::ranges::equal(groups_, placed_groups_, is_alike) && all_of(threads, placed_.size(), same);
  if (is_same && ++age_ < kSortAgain) return true;
  age_ = 0;
  placed_.clear();
  for (const StepContact& c : list.contacts)
    placed_.push_back({c.slot_a, c.slot_b, group_of(c), c.points, is_turning_point(c)});
  placed_groups_ = groups_;
  return false;
}

/// How many points of each contact pushed in the last step, as far as it was there. It is a hint: what it is wrong about costs
/// time and changes nothing.
void ContactLanes::recall_loads(const ConstraintList& list) {
  keys_.swap(old_keys_), loads_.swap(old_loads_);
  keys_.resize(list.contacts.size()), loads_.resize(list.contacts.size());
  std::size_t old = 0;  // both lists are sorted
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    keys_[i] = list.contacts[i].pair;
    while (old < old_keys_.size() && old_keys_[old] < keys_[i]) ++old;
    const bool is_known = old < old_keys_.size() && old_keys_[old] == keys_[i];
    loads_[i] = is_known ? old_loads_[old] : kBlockPoints;
    if (is_known) ++old;
  }
}

/// Group by group, pace by pace; in each of them zone by zone, then what acts across zones; each by colour, then by number of
/// points, then by what they carry, then in the order found; and the blocks that they fill. Contacts of one colour share no body,
/// so that their order does not change what comes out.
void ContactLanes::sort_contacts(const ConstraintList& list, std::uint32_t awake) {
  colour_contacts(list.contacts, awake, used_colours_, colour_);
  recall_loads(list);
  group_order_.resize(groups_.size());
  std::iota(group_order_.begin(), group_order_.end(), 0U);
  std::sort(group_order_.begin(), group_order_.end(), [&](std::uint32_t x, std::uint32_t y) {
    return std::pair(groups_[x].pace, x) < std::pair(groups_[y].pace, y);
  });
  sort_by_zone(list, awake);
  runs_.clear(), drafts_.clear();
  int paces = 0;
  for (const std::uint32_t group : group_order_) {
    while (paces <= groups_[group].pace) pace_runs_[static_cast<std::size_t>(paces++)].begin = runs_.size();
    for (std::size_t zone = 0; zone < zones_per_group(); ++zone) {
      const std::size_t first_run = runs_.size(), at = group * zones_per_group() + zone;
      if (zone_begin_[at] == zone_begin_[at + 1]) continue;
      sort_zone(list, zone_begin_[at], zone_begin_[at + 1]);
      for (std::size_t k = first_run; k < runs_.size(); ++k)
        runs_[k].is_across = zone == zones_.count(), runs_[k].group = group;
    }
  }
  while (paces < static_cast<int>(pace_runs_.size()))
    pace_runs_[static_cast<std::size_t>(paces++)].begin = runs_.size();
  lay_out_blocks();
  lay_out_stages();
}

/// The zone in which a contact acts, or across them, of its group.
std::size_t ContactLanes::zone_of(const StepContact& c, std::uint32_t awake) const {
  const std::size_t first = group_of(c) * zones_per_group();
  if (zones_.count() == 1) return first;
  if (c.slot_a >= awake) return first + zones_[c.slot_b];
  if (c.slot_b >= awake) return first + zones_[c.slot_a];
  return first + (zones_[c.slot_a] == zones_[c.slot_b] ? zones_[c.slot_a] : zones_.count());
}

/// Contacts that have points, in the order found within each zone.
void ContactLanes::sort_by_zone(const ConstraintList& list, std::uint32_t awake) {
  zone_begin_.assign(groups_.size() * zones_per_group() + 1, 0);
  for (const StepContact& c : list.contacts)
    if (c.points > 0) ++zone_begin_[zone_of(c, awake) + 1];
  std::partial_sum(zone_begin_.begin(), zone_begin_.end(), zone_begin_.begin());
  by_zone_.resize(zone_begin_.back()), order_.resize(by_zone_.size());
  for (std::size_t i = 0; i < list.contacts.size(); ++i)
    if (const StepContact& c = list.contacts[i]; c.points > 0)
      by_zone_[zone_begin_[zone_of(c, awake)]++] = static_cast<std::uint32_t>(i);
  // Each zone now ends where the next one began.
  std::shift_right(zone_begin_.begin(), zone_begin_.end(), 1);
  zone_begin_[0] = 0;
}

void ContactLanes::sort_zone(const ConstraintList& list, std::uint32_t begin, std::uint32_t end) {
  const auto load_of = [&](std::size_t i) -> std::size_t {
    if (colour_[i] == kOverflow) return 0;
    return loads_[i] == 0 ? 2 : loads_[i] < list.contacts[i].points ? kSomePush : 0;
  };
  const auto bucket_of = [&](std::size_t i) {
    const auto points = static_cast<std::size_t>(list.contacts[i].points);
    const std::size_t run = colour_[i] * std::size_t{kBlockPoints} + (kBlockPoints - points);
    return run * kLoads + load_of(i);
  };
  constexpr std::size_t kBuckets = kRunBuckets * kLoads;
  bucket_.assign(kBuckets + 1, 0);
  for (std::uint32_t k = begin; k < end; ++k) ++bucket_[bucket_of(by_zone_[k]) + 1];
  bucket_[0] = begin;
  for (std::size_t b = 0; b < kBuckets; ++b) bucket_[b + 1] += bucket_[b];
  for (std::uint32_t k = begin; k < end; ++k) order_[bucket_[bucket_of(by_zone_[k])]++] = by_zone_[k];
  // Each bucket now ends where the next one began.
  for (std::size_t b = kBuckets; b > 0; --b) bucket_[b] = bucket_[b - 1];
  bucket_[0] = begin;
  // Backwards in the middle, so that a block with contacts of two loads has neighbours.
  for (std::size_t b = kSomePush; b < kBuckets; b += kLoads)
    std::reverse(order_.begin() + bucket_[b], order_.begin() + bucket_[b + 1]);
  draft_runs();
}

/// No block has single points with rolling or spinning friction beside others: a contact is solved in the same way whatever else there is.
void ContactLanes::draft_blocks(std::size_t b, std::uint32_t per_block) {
  const std::uint32_t begin = bucket_[b * kLoads], end = bucket_[(b + 1) * kLoads];
  const auto others = std::stable_partition(order_.begin() + begin, order_.begin() + end,
                                            [&](std::uint32_t i) { return !placed_[i].turns; });
  const auto middle = static_cast<std::uint32_t>(others - order_.begin());
  draft_blocks(b, begin, middle, per_block);
  draft_blocks(b, middle, end, per_block);
}

void ContactLanes::draft_blocks(std::size_t b, std::uint32_t begin, std::uint32_t end, std::uint32_t per_block) {
  for (std::uint32_t first = begin; first < end; first += per_block) {
    const std::uint32_t lanes = std::min(per_block, end - first);
    drafts_.push_back({order_[first + lanes / 2], first, lanes, kBlockPoints - static_cast<int>(b % kBlockPoints)});
  }
}

/// The blocks of a colour in the order of the list, whatever their kind: a thread that takes the same part of every colour then
/// meets the same bodies, which stay in its cache.
void ContactLanes::draft_runs() {
  const std::size_t first_run = runs_.size();
  for (std::size_t b = 0; b < kRunBuckets; ++b) {
    if (bucket_[b * kLoads] == bucket_[(b + 1) * kLoads]) continue;
    const bool one_by_one = b / kBlockPoints == kOverflow;
    const auto colour = static_cast<int>(b / kBlockPoints);
    if (runs_.size() == first_run || runs_.back().colour != colour)
      runs_.push_back({static_cast<int>(drafts_.size()), 0, colour, 0, one_by_one});
    draft_blocks(b, one_by_one ? 1U : static_cast<std::uint32_t>(kBlockLanes));
    runs_.back().end = static_cast<int>(drafts_.size());
  }
  for (std::size_t k = first_run; k < runs_.size(); ++k)
    if (const Run& run = runs_[k]; !run.one_by_one)
      std::sort(drafts_.begin() + run.begin, drafts_.begin() + run.end,
                [](const Draft& x, const Draft& y) { return x.place < y.place; });
}

void ContactLanes::lay_out_blocks() {
  blocks_.resize(drafts_.size()), couplings_.resize(drafts_.size());
  std::size_t point_count = 0;
  for (std::size_t k = 0; k < drafts_.size(); ++k) {
    const Draft& draft = drafts_[k];
    blocks_[k].couplings = &couplings_[k];
    blocks_[k].points = draft.points;
    blocks_[k].first_point = static_cast<std::int32_t>(point_count);
    blocks_[k].lanes = static_cast<std::int32_t>(draft.lanes);
    blocks_[k].first_contact = static_cast<std::int32_t>(draft.first_contact);
    point_count += static_cast<std::size_t>(draft.points);
  }
  points_.resize(point_count);
  for (const Run& run : runs_)
    for (int k = run.begin; k < run.end; ++k) blocks_[static_cast<std::size_t>(k)].count = groups_[run.group].count;
  by_place_.resize(drafts_.size());
  std::iota(by_place_.begin(), by_place_.end(), 0U);
  std::sort(by_place_.begin(), by_place_.end(),
            [&](std::uint32_t x, std::uint32_t y) { return drafts_[x].place < drafts_[y].place; });
}

void ContactLanes::lay_out_stages() {
  const auto key = [&](std::uint32_t k) {
    return std::tuple(groups_[runs_[k].group].pace, runs_[k].is_across, runs_[k].colour);
  };
  by_stage_.resize(runs_.size());
  std::iota(by_stage_.begin(), by_stage_.end(), 0U);
  std::sort(by_stage_.begin(), by_stage_.end(),
            [&](std::uint32_t x, std::uint32_t y) { return std::pair(key(x), x) < std::pair(key(y), y); });
  stage_begin_.clear(), stage_sizes_.clear();
  int paces = 0;
  for (std::uint32_t i = 0; i < by_stage_.size(); ++i) {
    const int pace = groups_[runs_[by_stage_[i]].group].pace;
    while (paces <= pace) pace_runs_[static_cast<std::size_t>(paces++)].stage = stage_sizes_.size();
    if (i == 0 || key(by_stage_[i]) != key(by_stage_[i - 1])) stage_begin_.push_back(i), stage_sizes_.push_back(0);
    stage_sizes_.back() += pieces(runs_[by_stage_[i]]);
  }
  while (paces < static_cast<int>(pace_runs_.size()))
    pace_runs_[static_cast<std::size_t>(paces++)].stage = stage_sizes_.size();
  stage_begin_.push_back(static_cast<std::uint32_t>(by_stage_.size()));
}

// Zones and colours.

namespace {

constexpr std::size_t kSamplesPerZone = 256;   // chosen: zones differ by a tenth in size then
constexpr std::size_t kMostZones = 1U << 15U;  // zone numbers are 16-bit

double Vec3::*longest_axis(std::span<const Vec3> positions) {
  Vec3 low = positions.front(), high = low;
  for (const Vec3& x : positions) low = min(low, x), high = max(high, x);
  const Vec3 extent = high - low;
  if (extent.x >= extent.y && extent.x >= extent.z) return &Vec3::x;
  return extent.y >= extent.z ? &Vec3::y : &Vec3::z;
}

}  // namespace

bool BodyZones::divide(std::span<const Vec3> positions, std::size_t most) {
  const std::size_t zones = std::min(kMostZones, std::bit_ceil((positions.size() + most - 1) / most));
  if (zones <= 1) {
    const bool is_new = !cuts_.empty();
    cuts_.clear(), zone_.clear();
    return is_new;
  }
  const std::size_t stride = std::max<std::size_t>(1, positions.size() / (zones * kSamplesPerZone));
  sample_.clear();
  for (std::size_t i = 0; i < positions.size(); i += stride) sample_.push_back(positions[i]);
  cuts_.resize(zones - 1);
  cut(sample_, 0);
  bool is_new = zone_.size() != positions.size();
  zone_.resize(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const auto zone = static_cast<std::uint16_t>(zone_of(positions[i]));
    is_new = is_new || zone_[i] != zone;
    zone_[i] = zone;
  }
  return is_new;
}

/// Cuts at the median of the sample.
void BodyZones::cut(std::span<Vec3> sample, std::size_t node) {
  if (node >= cuts_.size()) return;
  double Vec3::*const axis = longest_axis(sample);
  const std::size_t half = sample.size() / 2;
  std::nth_element(
      sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(half), sample.end(),
      [axis](const Vec3& x, const Vec3& y) {  // total order, so that every standard library finds the same half
        return std::tie(x.*axis, x.x, x.y, x.z) < std::tie(y.*axis, y.x, y.y, y.z);
      });
  cuts_[node] = {axis, sample[half].*axis};
  cut(sample.first(half), 2 * node + 1);
  cut(sample.subspan(half), 2 * node + 2);
}

std::uint32_t BodyZones::zone_of(const Vec3& position) const {
  std::size_t node = 0;
  while (node < cuts_.size()) node = 2 * node + (position.*cuts_[node].axis < cuts_[node].at ? 1 : 2);
  return static_cast<std::uint32_t>(node - cuts_.size());
}

void colour_contacts(std::span<const StepContact> contacts, std::uint32_t awake, std::vector<std::uint64_t>& used,
                     std::vector<std::uint8_t>& colour) {
  used.assign(awake, 0);
  colour.resize(contacts.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::uint32_t a = contacts[i].slot_a, b = contacts[i].slot_b;
    const std::uint64_t taken = (a < awake ? used[a] : 0) | (b < awake ? used[b] : 0);
    const int first_free = std::countr_one(taken);  // 64 when all are taken
    colour[i] = static_cast<std::uint8_t>(first_free);
    if (first_free == kOverflow) continue;
    const std::uint64_t bit = std::uint64_t{1} << first_free;
    if (a < awake) used[a] |= bit;
    if (b < awake) used[b] |= bit;
  }
}

}  // namespace rigor
