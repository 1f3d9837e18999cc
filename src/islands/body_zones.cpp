#include "islands/body_zones.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace rigor {

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

}  // namespace rigor
