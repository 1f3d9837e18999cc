#include "stepping/swept_boxes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace rigor {

namespace {

constexpr double kWide = 8;  // times the median; chosen: any number separates planes and walls from the bodies on them

double width(const Aabb& box, int axis = 0) { return box.upper[axis] - box.lower[axis]; }

/// True if a box is much wider than most in some direction; the limit is of x, y and z.
std::array<double, 3> narrow_widths(const std::vector<Aabb>& boxes) {
  std::array<double, 3> narrow{};
  std::vector<double> widths;
  for (int axis = 0; axis < 3; ++axis) {
    widths.clear();
    for (const Aabb& box : boxes)
      if (std::isfinite(width(box, axis))) widths.push_back(width(box, axis));
    if (widths.empty()) continue;
    const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
    std::nth_element(widths.begin(), middle, widths.end());
    narrow[static_cast<std::size_t>(axis)] = kWide * *middle;
  }
  return narrow;
}

bool is_narrow(const Aabb& box, const std::array<double, 3>& narrow) {
  for (int axis = 0; axis < 3; ++axis)
    if (!(width(box, axis) <= narrow[static_cast<std::size_t>(axis)] && std::isfinite(box.lower[axis]))) return false;
  return true;
}

}  // namespace

std::size_t SweptBoxes::strip_of(double coordinate) const {
  if (!(coordinate > origin_)) return 0;  // nor are boxes that are not finite
  const auto last = static_cast<double>(begin_.size() - 2);
  return static_cast<std::size_t>(std::min(std::floor((coordinate - origin_) / strip_), last));
}

void SweptBoxes::assign(std::vector<Aabb> boxes) {
  boxes_ = std::move(boxes);
  entries_.clear();
  wide_.clear();
  const std::array<double, 3> narrow = narrow_widths(boxes_);
  Aabb all;  // of the lower corners
  Vec3 widest;
  for (std::uint32_t i = 0; i < boxes_.size(); ++i) {
    if (!is_narrow(boxes_[i], narrow)) {
      wide_.push_back(i);
      continue;
    }
    entries_.push_back({boxes_[i], i});
    all.include(boxes_[i].lower);
    for (int axis = 0; axis < 3; ++axis) widest[axis] = std::max(widest[axis], width(boxes_[i], axis));
  }
  begin_.assign(2, 0);
  if (entries_.empty()) return;
  axis_ = width(all, 1) > width(all, 2) ? 1 : 2;
  widest_x_ = widest.x;
  widest_ = widest[axis_];
  origin_ = all.lower[axis_];
  const double extent = width(all, axis_), most = std::sqrt(static_cast<double>(entries_.size()));
  const double strips = widest_ > 0 ? std::clamp(std::floor(extent / widest_), 1.0, std::ceil(most)) : 1;
  strip_ = extent > 0 ? extent / strips : 1;
  sort(static_cast<std::size_t>(strips));
}

/// Sorts into strips, and within each by the lower x.
void SweptBoxes::sort(std::size_t strips) {
  begin_.assign(strips + 1, 0);
  order_.resize(entries_.size());
  for (const Entry& e : entries_) ++begin_[strip_of(e.box.lower[axis_]) + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const Entry& e : entries_) order_[next[strip_of(e.box.lower[axis_])]++] = {e.box.lower.x, e.slot};
  for (std::size_t strip = 0; strip < strips; ++strip)
    std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin_[strip]),
              order_.begin() + static_cast<std::ptrdiff_t>(begin_[strip + 1]));
  for (std::size_t k = 0; k < order_.size(); ++k) entries_[k] = {boxes_[order_[k].second], order_[k].second};
}

}  // namespace rigor
