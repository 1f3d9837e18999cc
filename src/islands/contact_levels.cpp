#include "islands/contact_levels.h"

namespace rigor {

namespace {

/// For every body the blocks that touch it, as one list with offsets.
struct Neighbours {
  std::vector<int> offset, block;

  Neighbours(const Rows& rows, std::span<const int> blocks, int count)
      : offset(static_cast<std::size_t>(count) + 1, 0) {
    const auto ends = [&](int b) {
      const RowBlock& r = rows.blocks[static_cast<std::size_t>(b)];
      return std::pair<std::size_t, std::size_t>(r.a, r.b);
    };
    for (const int b : blocks) ++offset[ends(b).first + 1], ++offset[ends(b).second + 1];
    for (std::size_t i = 1; i < offset.size(); ++i) offset[i] += offset[i - 1];
    block.resize(static_cast<std::size_t>(offset.back()));
    std::vector<int> next(offset.begin(), offset.end() - 1);
    for (const int b : blocks) {
      block[static_cast<std::size_t>(next[ends(b).first]++)] = b;
      block[static_cast<std::size_t>(next[ends(b).second]++)] = b;
    }
  }
};

}  // namespace

std::vector<int> contact_levels(const Rows& rows, std::span<const int> blocks, const StepBodies& bodies) {
  const int count = bodies.moving + 1;
  const Neighbours neighbours(rows, blocks, count);
  std::vector<int> level(static_cast<std::size_t>(count), kNoLevel), queue;
  for (int i = bodies.awake; i < count; ++i) level[static_cast<std::size_t>(i)] = 0, queue.push_back(i);
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const auto i = static_cast<std::size_t>(queue[head]);
    for (int k = neighbours.offset[i]; k < neighbours.offset[i + 1]; ++k) {
      const RowBlock& block = rows.blocks[static_cast<std::size_t>(neighbours.block[static_cast<std::size_t>(k)])];
      const int other = block.a == queue[head] ? block.b : block.a;
      int& l = level[static_cast<std::size_t>(other)];
      if (l == kNoLevel) l = level[i] + 1, queue.push_back(other);
    }
  }
  return level;
}

}  // namespace rigor
