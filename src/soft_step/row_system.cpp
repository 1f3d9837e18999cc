#include "soft_step/row_system.h"

#include <algorithm>

#include "constraints/row_math.h"

namespace rigor {

namespace {

/// Relative to K_ii: smaller pivots are rounding left over from dependent rows.
constexpr double kDependent = 1e-10;

void insert_sorted(std::vector<int>& list, int value) {
  const auto at = std::lower_bound(list.begin(), list.end(), value);
  if (at == list.end() || *at != value) list.insert(at, value);
}

}  // namespace

void RowSystem::factorise(int bodies, std::span<const TreeEdge> edges, std::span<const BodyMass> masses,
                          std::span<const Jacobian> J, std::span<const double> gamma) {
  J_.assign(J.begin(), J.end()), gamma_.assign(gamma.begin(), gamma.end());
  inverse_.resize(masses.size());
  for (std::size_t i = 0; i < masses.size(); ++i) inverse_[i] = {1 / masses[i].linear, inverse(masses[i].angular)};
  if (bodies != bodies_ || !std::equal(edges.begin(), edges.end(), edges_.begin(), edges_.end())) {
    bodies_ = bodies;
    edges_.assign(edges.begin(), edges.end());
    analyse();
  }
  fill();
  for (const Node& node : nodes_) {
    factorise_node(node);
    if (node.later_count == 0) continue;
    solve_below(node);
    update_later(node);
  }
}

/// The order of elimination, and what couples with what by then.
void RowSystem::analyse() {
  joints_of_.assign(static_cast<std::size_t>(bodies_), {});
  for (std::size_t e = 0; e < edges_.size(); ++e)
    for (const int body : {edges_[e].a, edges_[e].b})
      if (body >= 0) insert_sorted(joints_of_[static_cast<std::size_t>(body)], static_cast<int>(e));
  std::vector<std::vector<int>> neighbours(edges_.size());
  for (const std::vector<int>& joints : joints_of_)
    for (const int a : joints)
      for (const int b : joints)
        if (a != b) insert_sorted(neighbours[static_cast<std::size_t>(a)], b);
  const std::vector<int> order = order_by_degree(neighbours);
  node_of_.resize(edges_.size());
  for (std::size_t k = 0; k < order.size(); ++k) node_of_[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  nodes_.clear(), later_.clear();
  std::size_t values = 0;
  int rows = 0;
  for (const int e : order) {
    Node node;
    node.edge = e, node.begin = rows, node.size = edges_[static_cast<std::size_t>(e)].size();
    node.stride = padded(static_cast<std::size_t>(node.size));
    node.panel = values, node.first_later = later_.size();
    auto height = static_cast<std::size_t>(node.size);
    std::vector<int> later;
    for (const int other : neighbours[static_cast<std::size_t>(e)])
      later.push_back(node_of_[static_cast<std::size_t>(other)]);
    std::sort(later.begin(), later.end());
    for (const int other : later) {
      later_.push_back({other, height});
      height +=
          static_cast<std::size_t>(edges_[static_cast<std::size_t>(order[static_cast<std::size_t>(other)])].size());
    }
    node.later_count = later.size(), node.height = height;
    rows += node.size, values += height * node.stride;
    nodes_.push_back(node);
  }
  panels_.resize(values), inverse_D_.resize(static_cast<std::size_t>(rows)),
      own_.resize(static_cast<std::size_t>(rows));
  y_.resize(static_cast<std::size_t>(rows));
  place_targets();
  place_products();
}

/// `neighbours` of an edge become those that are eliminated after it, fill included.
std::vector<int> RowSystem::order_by_degree(std::vector<std::vector<int>>& neighbours) const {
  std::vector<int> order;
  std::vector<char> is_done(edges_.size(), 0);
  const auto degree = [&](std::size_t e) {
    int rows = 0;
    for (const int other : neighbours[e]) rows += edges_[static_cast<std::size_t>(other)].size();
    return rows;
  };
  while (order.size() < edges_.size()) {
    std::size_t best = edges_.size();
    int fewest = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (!is_done[e])
        if (const int rows = degree(e); best == edges_.size() || rows < fewest) best = e, fewest = rows;
    is_done[best] = 1;
    order.push_back(static_cast<int>(best));
    const std::vector<int>& clique = neighbours[best];
    for (const int a : clique) {
      std::vector<int>& of_a = neighbours[static_cast<std::size_t>(a)];
      std::erase(of_a, static_cast<int>(best));
      for (const int b : clique)
        if (a != b) insert_sorted(of_a, b);
    }
  }
  return order;
}

std::size_t RowSystem::row_of(const Node& column, int node) const {
  const auto begin = later_.begin() + static_cast<std::ptrdiff_t>(column.first_later);
  const auto at = std::lower_bound(begin, begin + static_cast<std::ptrdiff_t>(column.later_count), node,
                                   [](const Later& l, int n) { return l.node < n; });
  return at->row;
}

void RowSystem::place_targets() {
  targets_.clear();
  for (Node& node : nodes_) {
    node.first_target = targets_.size();
    for (std::size_t j = 0; j < node.later_count; ++j) {
      const Node& column = nodes_[static_cast<std::size_t>(later_[node.first_later + j].node)];
      targets_.push_back(column.panel);
      for (std::size_t i = j + 1; i < node.later_count; ++i) {
        const std::size_t row = row_of(column, later_[node.first_later + i].node);
        targets_.push_back(column.panel + row * column.stride);
      }
    }
  }
}

void RowSystem::place_products() {
  products_.clear();
  first_transposed_.resize(edges_.size());
  std::size_t values = 0;
  for (std::size_t e = 0; e < edges_.size(); ++e)
    first_transposed_[e] = values, values += 12 * padded(static_cast<std::size_t>(edges_[e].size()));
  transposed_.assign(values, 0);
  for (std::size_t body = 0; body < joints_of_.size(); ++body)
    for (const int a : joints_of_[body])
      for (const int b : joints_of_[body])
        if (node_of_[static_cast<std::size_t>(a)] >= node_of_[static_cast<std::size_t>(b)])
          add_product(a, b, static_cast<int>(body));
}

/// Adds the part of K by which one body couples two joints; a is eliminated together with b or later.
void RowSystem::add_product(int edge_a, int edge_b, int body) {
  const TreeEdge &a = edges_[static_cast<std::size_t>(edge_a)], &b = edges_[static_cast<std::size_t>(edge_b)];
  const Node& column = nodes_[static_cast<std::size_t>(node_of_[static_cast<std::size_t>(edge_b)])];
  const std::size_t row = edge_a == edge_b ? 0 : row_of(column, node_of_[static_cast<std::size_t>(edge_a)]);
  for (const std::size_t at_a : {0U, 6U})
    for (const std::size_t at_b : {0U, 6U}) {
      if ((at_a == 0 ? a.a : a.b) != body || (at_b == 0 ? b.a : b.b) != body) continue;
      products_.push_back({static_cast<std::size_t>(a.begin), static_cast<std::size_t>(a.size()), at_a,
                           first_transposed_[static_cast<std::size_t>(edge_b)] + at_b * column.stride,
                           column.panel + row * column.stride, column.stride});
    }
}

void RowSystem::fill() {
  std::fill(panels_.begin(), panels_.end(), 0.0);
  JW_.resize(J_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const TreeEdge& edge = edges_[e];
    const std::size_t stride = padded(static_cast<std::size_t>(edge.size()));
    for (int r = 0; r < edge.size(); ++r)
      for (const auto& [body, at] : {std::pair{edge.a, 0}, std::pair{edge.b, 6}}) {
        if (body < 0) continue;
        const auto i = static_cast<std::size_t>(edge.begin + r);
        const BodyInverseMass& mass = inverse_[static_cast<std::size_t>(body)];
        put(JW_[i], at, mass.linear * part(J_[i], at)), put(JW_[i], at + 3, mass.angular * part(J_[i], at + 3));
        double* to = transposed_.data() + first_transposed_[e] + static_cast<std::size_t>(r);
        for (auto k = static_cast<std::size_t>(at); k < static_cast<std::size_t>(at) + 6; ++k)
          to[k * stride] = JW_[i][k];
      }
  }
  for (const Product& p : products_)
    kernels_.add_products(J_[p.row].data() + p.at, std::tuple_size_v<Jacobian>, p.rows, 6,
                          transposed_.data() + p.transposed, panels_.data() + p.target, p.stride);
  for (const Node& node : nodes_)
    for (int i = 0; i < node.size; ++i) {
      const auto row = static_cast<std::size_t>(node.begin + i), k = static_cast<std::size_t>(i);
      double& diagonal = panels_[node.panel + k * node.stride + k];
      diagonal += gamma_[static_cast<std::size_t>(edges_[static_cast<std::size_t>(node.edge)].begin + i)];
      own_[row] = diagonal;
    }
}

/// Factorises the diagonal block of a node into L and D.
void RowSystem::factorise_node(const Node& node) {
  const auto n = static_cast<std::size_t>(node.size), stride = node.stride;
  double* P = panels_.data() + node.panel;
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t row = static_cast<std::size_t>(node.begin) + j;
    const double pivot = P[j * stride + j];
    const double inverse_D = pivot > kDependent * own_[row] && own_[row] > 0 ? 1 / pivot : 0;
    inverse_D_[row] = inverse_D;
    for (std::size_t i = j + 1; i < n; ++i) {
      const double l = P[i * stride + j] * inverse_D;
      for (std::size_t k = j + 1; k <= i; ++k) P[i * stride + k] -= l * P[k * stride + j];
    }
    // The entries of column j were needed as they are, multiplied by D.
    for (std::size_t i = j + 1; i < n; ++i) P[i * stride + j] *= inverse_D;
  }
}

/// Turns the rows of later joints into rows of L, and writes (L D)ᵀ to `below_`, joint by joint.
void RowSystem::solve_below(const Node& node) {
  const auto n = static_cast<std::size_t>(node.size), stride = node.stride;
  double* P = panels_.data() + node.panel;
  upper_.assign(n * stride, 0), scale_.assign(stride, 0);
  for (std::size_t j = 0; j < n; ++j) {
    scale_[j] = inverse_D_[static_cast<std::size_t>(node.begin) + j];
    for (std::size_t k = j + 1; k < n; ++k) upper_[j * stride + k] = P[k * stride + j];
  }
  double* X = P + n * stride;
  kernels_.solve_rows(upper_.data(), n, X, node.height - n, stride);
  std::size_t values = 0;
  for (std::size_t j = 0; j < node.later_count; ++j)
    values += n * nodes_[static_cast<std::size_t>(later_[node.first_later + j].node)].stride;
  if (below_.size() < values) below_.resize(values);
  std::fill_n(below_.begin(), values, 0.0);
  double* to = below_.data();
  for (std::size_t j = 0; j < node.later_count; ++j) {
    const Later& later = later_[node.first_later + j];
    const Node& column = nodes_[static_cast<std::size_t>(later.node)];
    for (std::size_t c = 0; c < static_cast<std::size_t>(column.size); ++c)
      for (std::size_t k = 0; k < n; ++k)  // a column without a pivot has no part in L
        to[k * column.stride + c] = scale_[k] > 0 ? P[(later.row + c) * stride + k] : 0;
    to += n * column.stride;
  }
  kernels_.scale_columns(scale_.data(), X, node.height - n, stride);
}

/// K of the later joints loses L D Lᵀ.
void RowSystem::update_later(const Node& node) {
  const auto n = static_cast<std::size_t>(node.size);
  const double* P = panels_.data() + node.panel;
  const double* below = below_.data();
  std::size_t target = node.first_target;
  for (std::size_t j = 0; j < node.later_count; ++j) {
    const std::size_t stride = nodes_[static_cast<std::size_t>(later_[node.first_later + j].node)].stride;
    for (std::size_t i = j; i < node.later_count; ++i) {
      const Later& later = later_[node.first_later + i];
      const auto rows = static_cast<std::size_t>(nodes_[static_cast<std::size_t>(later.node)].size);
      kernels_.subtract_products(P + later.row * node.stride, node.stride, rows, n, below,
                                 panels_.data() + targets_[target++], stride);
    }
    below += n * stride;
  }
}

/// visit(row as given, row in the order of elimination, its joint)
template <class Visit> void RowSystem::for_rows(const Visit& visit) const {
  for (const Node& node : nodes_) {
    const TreeEdge& edge = edges_[static_cast<std::size_t>(node.edge)];
    for (int i = 0; i < node.size; ++i)
      visit(static_cast<std::size_t>(edge.begin + i), static_cast<std::size_t>(node.begin + i), edge);
  }
}

/// visit(row in the order of elimination, its entries of L in the node's columns) for the rows of later joints
template <class Visit> void RowSystem::for_later(const Node& node, const Visit& visit) const {
  const double* L = panels_.data() + node.panel + static_cast<std::size_t>(node.size) * node.stride;
  for (std::size_t k = 0; k < node.later_count; ++k) {
    const Node& other = nodes_[static_cast<std::size_t>(later_[node.first_later + k].node)];
    for (int i = 0; i < other.size; ++i, L += node.stride) visit(static_cast<std::size_t>(other.begin + i), L);
  }
}

/// y ← L⁻¹ y
void RowSystem::substitute_forward() {
  for (const Node& node : nodes_) {
    const auto n = static_cast<std::size_t>(node.size), begin = static_cast<std::size_t>(node.begin);
    const double* P = panels_.data() + node.panel;
    for (std::size_t i = 1; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) y_[begin + i] -= P[i * node.stride + j] * y_[begin + j];
    const double* own = y_.data() + begin;
    for_later(node, [&](std::size_t row, const double* L) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j) sum += L[j] * own[j];
      y_[row] -= sum;
    });
  }
}

/// y ← L⁻ᵀ y
void RowSystem::substitute_backward() {
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    const Node& node = nodes_[k];
    const auto n = static_cast<std::size_t>(node.size), begin = static_cast<std::size_t>(node.begin);
    const double* P = panels_.data() + node.panel;
    double* own = y_.data() + begin;
    for_later(node, [&](std::size_t row, const double* L) {
      const double known = y_[row];
      for (std::size_t j = 0; j < n; ++j) own[j] -= L[j] * known;
    });
    for (std::size_t i = n; i-- > 1;)
      for (std::size_t j = 0; j < i; ++j) own[j] -= P[i * node.stride + j] * own[i];
  }
}

void RowSystem::solve(std::span<const double> r, std::span<const BodyVelocity> f, std::span<double> lambda,
                      std::span<BodyVelocity> x) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = {inverse_[i].linear * f[i].v, inverse_[i].angular * f[i].w};
  for_rows([&](std::size_t i, std::size_t row, const TreeEdge& edge) {
    const BodyVelocity none;
    y_[row] = r[i] - speed_along(J_[i], edge.a < 0 ? none : x[static_cast<std::size_t>(edge.a)],
                                 edge.b < 0 ? none : x[static_cast<std::size_t>(edge.b)]);
  });
  substitute_forward();
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] *= inverse_D_[i];
  substitute_backward();
  for_rows([&](std::size_t i, std::size_t row, const TreeEdge& edge) {
    lambda[i] = y_[row];
    for (const auto& [body, at] : {std::pair{edge.a, 0}, std::pair{edge.b, 6}}) {
      if (body < 0) continue;
      BodyVelocity& u = x[static_cast<std::size_t>(body)];
      u.v += y_[row] * part(JW_[i], at), u.w += y_[row] * part(JW_[i], at + 3);
    }
  });
}

}  // namespace rigor
