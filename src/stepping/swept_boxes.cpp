#include "stepping/swept_boxes.h"

#include <algorithm>
#include <cmath>

namespace rigor {

namespace {

constexpr double kWide = 8;  // times the median; chosen: any number keeps planes and walls apart from what lies on them

double width(const Aabb& box) { return box.upper.x - box.lower.x; }

}  // namespace

void SweptBoxes::assign(std::vector<Aabb> boxes) {
  boxes_ = std::move(boxes);
  by_x_.clear(), wide_.clear(), widest_ = 0;
  std::vector<double> widths;
  for (const Aabb& box : boxes_)
    if (std::isfinite(width(box))) widths.push_back(width(box));
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  if (!widths.empty()) std::nth_element(widths.begin(), middle, widths.end());
  const double narrow = widths.empty() ? 0 : kWide * *middle;
  for (std::uint32_t i = 0; i < boxes_.size(); ++i) {
    const bool is_wide = !(width(boxes_[i]) <= narrow && std::isfinite(boxes_[i].lower.x));
    (is_wide ? wide_ : by_x_).push_back(i);
    if (!is_wide) widest_ = std::max(widest_, width(boxes_[i]));
  }
  std::sort(by_x_.begin(), by_x_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return boxes_[a].lower.x < boxes_[b].lower.x; });
}

void SweptBoxes::find_overlapping(std::uint32_t slot, std::vector<std::uint32_t>& found) const {
  const Aabb& own = boxes_[slot];
  found.clear();
  const auto look_at = [&](std::uint32_t i) {
    if (i != slot && overlap(own, boxes_[i])) found.push_back(i);
  };
  for (const std::uint32_t i : wide_) look_at(i);
  // A little further than the widest one reaches: its width was rounded.
  const double from = own.lower.x - widest_ * (1 + 1e-9) - 1e-9 * std::abs(own.lower.x);
  auto it = std::lower_bound(by_x_.begin(), by_x_.end(), from,
                             [&](std::uint32_t i, double x) { return boxes_[i].lower.x < x; });
  for (; it != by_x_.end() && boxes_[*it].lower.x <= own.upper.x; ++it) look_at(*it);
  std::sort(found.begin(), found.end());
}

}  // namespace rigor
