#include "articulated/reduced_rows.h"

#include <algorithm>

#include "constraints/joint_rows.h"
#include "constraints/row_math.h"
#include "math/disjoint_sets.h"
#include "solvers/acceleration_rows.h"

namespace rigor::articulated {

namespace {

/// A pivot, relative to the diagonal, that counts as zero: redundant rows of a closed loop leave 1e-14 and less.
constexpr double kRank = 1e-11;
/// A_ii, relative to J M⁻¹ Jᵀ of the bodies by themselves, below which the joints of the trees prevent the row from moving anything. Rounding
/// leaves about the square of 1e-16.
constexpr double kMoves = 1e-20;

RowClass class_of(const Rows& rows, const RowBlock& block, int row, const Forest& forest) {
  const auto i = static_cast<std::size_t>(row);
  const bool in_a_tree = block.source == RowBlock::Source::joint && forest.in_a_tree[block.index];
  if (in_a_tree && rows.key[i] < kKeyLocked + 6) return RowClass::carried;
  if (is_soft(rows, row)) return RowClass::soft;
  if (is_inequality(rows.kind[i])) return RowClass::inequality;
  return rows.kind[i] == RowKind::locked && is_unbounded(rows, row) ? RowClass::equation : RowClass::bounded;
}

}  // namespace

bool Island::has(RowClass kind) const {
  return std::any_of(rows.begin(), rows.end(), [&](const RowRef& r) { return r.kind == kind; });
}

std::vector<Island> find_islands(const Rows& rows, const Forest& forest) {
  DisjointSets sets(static_cast<std::size_t>(forest.tree_count()));
  const auto set_of = [&](int tree) { return static_cast<std::size_t>(sets.root(static_cast<std::uint32_t>(tree))); };
  thread_local std::vector<RowRef> left;  // rows that no tree carries, block by block
  left.clear();
  for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
    const RowBlock& block = rows.blocks[b];
    const std::size_t before = left.size();
    for (int i = block.begin; i < block.end; ++i) {
      const RowClass kind = class_of(rows, block, i, forest);
      if (kind != RowClass::carried) left.push_back({i, static_cast<int>(b), kind});
    }
    const int a = forest.tree_at(block.a), c = forest.tree_at(block.b);
    if (left.size() > before && a >= 0 && c >= 0)
      sets.unite(static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(c));
  }
  std::vector<Island> islands;
  if (left.empty()) return islands;
  std::vector<int> island_of(static_cast<std::size_t>(forest.tree_count()), -1);  // by the set's smallest tree
  for (auto first = left.begin(), next = first; first != left.end(); first = next) {
    next = std::find_if(first, left.end(), [&](const RowRef& ref) { return ref.block != first->block; });
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(first->block)];
    const int tree = std::max(forest.tree_at(block.a), forest.tree_at(block.b));
    int& at = island_of[set_of(tree)];
    if (at < 0) at = static_cast<int>(islands.size()), islands.emplace_back();
    Island& island = islands[static_cast<std::size_t>(at)];
    island.rows.insert(island.rows.end(), first, next);
    island.blocks.push_back(first->block);
    island.forced.push_back(std::any_of(
        first, next, [](const RowRef& ref) { return ref.kind == RowClass::soft || ref.kind == RowClass::equation; }));
  }
  for (int t = 0; t < forest.tree_count(); ++t)
    if (const int at = island_of[set_of(t)]; at >= 0) islands[static_cast<std::size_t>(at)].trees.push_back(t);
  return islands;
}

void subtract_row(const Rows& rows, const RowRef& ref, double lambda, const Forest& forest, std::span<Wrench> p) {
  const RowBlock& block = rows.blocks[static_cast<std::size_t>(ref.block)];
  const Jacobian& J = rows.J[static_cast<std::size_t>(ref.row)];
  const int a = forest.link_at(block.a), b = forest.link_at(block.b);
  if (a >= 0) p[static_cast<std::size_t>(a)] += -lambda * Wrench{part(J, 0), part(J, 3)};
  if (b >= 0) p[static_cast<std::size_t>(b)] += -lambda * Wrench{part(J, 6), part(J, 9)};
}

double along_row(const Rows& rows, const RowRef& ref, const Forest& forest, std::span<const Twist> u,
                 std::span<const BodyVelocity> outside) {
  const RowBlock& block = rows.blocks[static_cast<std::size_t>(ref.block)];
  const Jacobian& J = rows.J[static_cast<std::size_t>(ref.row)];
  const auto end = [&](int place, int at) {
    const int link = forest.link_at(place);
    Twist moves;
    if (link >= 0)
      moves = u[static_cast<std::size_t>(link)];
    else if (!outside.empty())
      moves = {outside[static_cast<std::size_t>(place)].v, outside[static_cast<std::size_t>(place)].w};
    return dot(moves, Wrench{part(J, at), part(J, at + 3)});
  };
  return end(block.a, 0) + end(block.b, 6);
}

bool moves(const Rows& rows, const RowRef& ref, double A_rr) {
  return A_rr > kMoves * rows.diagonal[static_cast<std::size_t>(ref.row)];
}

void RowCoupling::reduce(const ArticulatedBodies& bodies, const Rows& rows, std::span<const RowRef> refs) {
  const Forest& forest = bodies.forest();
  entries_.clear();
  first_.assign(forest.links.size(), -1);
  int coordinates = 0;
  for (std::size_t r = 0; r < refs.size(); ++r) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(refs[r].block)];
    const Jacobian& J = rows.J[static_cast<std::size_t>(refs[r].row)];
    bodies.reduce(forest.link_at(block.a), {part(J, 0), part(J, 3)}, forest.link_at(block.b), {part(J, 6), part(J, 9)},
                  [&](int link, int k, double z) {
                    int& first = first_[static_cast<std::size_t>(link)];
                    if (first < 0) first = coordinates, coordinates += bodies.count(link);
                    if (z != 0) entries_.push_back({first + k, static_cast<int>(r), z});
                  });
  }
  begin_.assign(static_cast<std::size_t>(coordinates) + 1, 0);
}

/// Counting sort; rows of a coordinate stay in their order.
void RowCoupling::sort_by_coordinate() {
  for (const Entry& e : entries_) ++begin_[static_cast<std::size_t>(e.coordinate) + 1];
  for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
  by_coordinate_.resize(entries_.size());
  for (const Entry& e : entries_)
    by_coordinate_[static_cast<std::size_t>(begin_[static_cast<std::size_t>(e.coordinate)]++)] = e;
  for (std::size_t c = begin_.size() - 1; c > 0; --c) begin_[c] = begin_[c - 1];
  begin_[0] = 0;
}

const std::vector<double>& RowCoupling::matrix(const ArticulatedBodies& bodies, const Rows& rows,
                                               std::span<const RowRef> refs) {
  const std::size_t n = refs.size();
  A_.assign(n * n, 0.0);
  factorised_ = false;
  reduce(bodies, rows, refs);
  sort_by_coordinate();
  for (std::size_t c = 0; c + 1 < begin_.size(); ++c) {
    const Entry* const end = by_coordinate_.data() + begin_[c + 1];
    for (const Entry* e = by_coordinate_.data() + begin_[c]; e != end; ++e) {
      double* row = A_.data() + static_cast<std::size_t>(e->row) * n;
      for (const Entry* f = e; f != end; ++f) row[f->row] += e->z * f->z;
    }
  }
  for (std::size_t r = 0; r < n; ++r)
    if (!moves(rows, refs[r], A_[r * n + r])) A_[r * n + r] = 0;
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t s = r + 1; s < n; ++s) {
      if (A_[r * n + r] == 0 || A_[s * n + s] == 0) A_[r * n + s] = 0;
      A_[s * n + r] = A_[r * n + s];
    }
  return A_;
}

double RowCoupling::diagonal(const ArticulatedBodies& bodies, const Rows& rows, const RowRef& ref) {
  const Forest& forest = bodies.forest();
  const RowBlock& block = rows.blocks[static_cast<std::size_t>(ref.block)];
  const Jacobian& J = rows.J[static_cast<std::size_t>(ref.row)];
  double A = 0;
  bodies.reduce(forest.link_at(block.a), {part(J, 0), part(J, 3)}, forest.link_at(block.b), {part(J, 6), part(J, 9)},
                [&](int, int, double z) { A += z * z; });
  return moves(rows, ref, A) ? A : 0;
}

void RowCoupling::damp(const Rows& rows, std::span<const RowRef> refs, double share) {
  const std::size_t n = refs.size();
  for (std::size_t r = 0; r < n; ++r)
    if (A_[r * n + r] > 0) A_[r * n + r] += share * rows.diagonal[static_cast<std::size_t>(refs[r].row)];
  factorised_ = false;
}

void RowCoupling::solve(std::span<double> lambda) {
  const auto n = static_cast<int>(lambda.size());
  if (!factorised_) {
    symmetric_scales(n, A_, s_);
    scaled_ = A_;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        scaled_[static_cast<std::size_t>(i * n + j)] *=
            s_[static_cast<std::size_t>(i)] * s_[static_cast<std::size_t>(j)];
    factors_.factorise(n, scaled_, kRank);
    factorised_ = true;
  }
  for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] *= s_[i];
  factors_.solve(lambda);
  for (std::size_t i = 0; i < lambda.size(); ++i) lambda[i] *= s_[i];
}

}  // namespace rigor::articulated
