#include "model/triangle_index.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace rigor {

namespace {

struct DirectedEdge {
  std::uint32_t from, to;
  std::uint32_t triangle;
  std::uint32_t k;

  bool operator<(const DirectedEdge& e) const {
    if (from != e.from) return from < e.from;
    if (to != e.to) return to < e.to;
    return triangle != e.triangle ? triangle < e.triangle : k < e.k;
  }
};

bool precedes(const Vec3& a, const Vec3& b) {
  if (a.x != b.x) return a.x < b.x;
  return a.y != b.y ? a.y < b.y : a.z < b.z;
}

/// The triangles on the other side of an edge, among which its neighbour is. Where thousands share an edge, only those that turn least are looked at, so
/// that a file of coincident surfaces does not take a quadratic time.
class Opposite {
 public:
  /// Both arrays must outlive it; the edges are sorted.
  Opposite(const std::vector<DirectedEdge>& edges, const std::vector<Vec3>& normals)
      : edges_(edges), normals_(normals) {}

  /// `along`: the direction of the edge e. Valid until the next call.
  std::span<const DirectedEdge> candidates(const DirectedEdge& e, const Vec3& along) {
    if (e.from != from_ || e.to != to_) find(e, along);
    if (all_.size() <= kFew) return all_;
    // The least turn is that of the first normal beyond the one that points back, −π from that of e.
    constexpr double kRounding = 1e-6;
    double back = angle(normals_[e.triangle]) - kPi - kRounding;
    if (back < -kPi) back += 2 * kPi;
    const auto is_before = [](const Placed& p, double value) { return p.angle < value; };
    const auto first = std::lower_bound(by_angle_.begin(), by_angle_.end(), back, is_before);
    constexpr std::size_t kCandidates = 8;  // chosen: some, as rounding may change the order of nearly equal angles
    near_.clear();
    std::size_t at = static_cast<std::size_t>(first - by_angle_.begin());
    for (std::size_t k = 0; k < std::min(kCandidates, by_angle_.size()); ++k, ++at)
      near_.push_back(*by_angle_[at % by_angle_.size()].edge);
    return near_;
  }

 private:
  static constexpr std::size_t kFew = 64;  // edges that are compared one by one
  struct Placed {
    double angle;  // of the normal about the edge
    const DirectedEdge* edge;
  };

  double angle(const Vec3& normal) const { return std::atan2(dot(normal, v_), dot(normal, u_)); }

  void find(const DirectedEdge& e, const Vec3& along) {
    from_ = e.from, to_ = e.to;
    const auto begin = std::lower_bound(edges_.begin(), edges_.end(), DirectedEdge{e.to, e.from, 0, 0});
    auto end = begin;
    while (end != edges_.end() && end->from == e.to && end->to == e.from) ++end;
    all_ = std::span(begin, end);
    by_angle_.clear();
    if (all_.size() <= kFew) return;
    const Vec3 d = normalized(along);
    tangents(d, u_, v_);
    for (const DirectedEdge& other : all_)  // triangles without an area have no normal
      if (const double at = angle(normals_[other.triangle]); std::isfinite(at)) by_angle_.push_back({at, &other});
    // One of each angle: the first one, as if all were compared.
    std::stable_sort(by_angle_.begin(), by_angle_.end(),
                     [](const Placed& a, const Placed& b) { return a.angle < b.angle; });
    by_angle_.erase(std::unique(by_angle_.begin(), by_angle_.end(),
                                [](const Placed& a, const Placed& b) { return a.angle == b.angle; }),
                    by_angle_.end());
  }

  const std::vector<DirectedEdge>& edges_;
  const std::vector<Vec3>& normals_;
  std::uint32_t from_ = ~0u, to_ = ~0u;
  std::span<const DirectedEdge> all_;
  std::vector<Placed> by_angle_;
  std::vector<DirectedEdge> near_;
  Vec3 u_, v_;  // across the edge
};

}  // namespace

TriangleIndex::TriangleIndex(const Mesh& mesh) {
  std::vector<Aabb> boxes;
  boxes.reserve(mesh.triangles.size());
  normals_.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    const Vec3 &p = mesh.vertices[t[0]], &q = mesh.vertices[t[1]], &r = mesh.vertices[t[2]];
    Aabb box;
    box.include(p), box.include(q), box.include(r);
    boxes.push_back(box);
    normals_.push_back(normalized(cross(normalized(q - p), normalized(r - p))));
  }
  tree_ = BoxTree(boxes);
  weld(mesh);
  connect(mesh);
  collect_around();
  classify_corners(
      vertex_count_, [this](std::size_t i) { return corners_[i]; }, flags_);
}

void TriangleIndex::weld(const Mesh& mesh) {
  std::vector<std::uint32_t> order(mesh.vertices.size()), welded(mesh.vertices.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (mesh.vertices[a] == mesh.vertices[b]) return a < b;
    return precedes(mesh.vertices[a], mesh.vertices[b]);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && mesh.vertices[order[i]] == mesh.vertices[order[i - 1]];
    welded[order[i]] = static_cast<std::uint32_t>(same ? vertex_count_ - 1 : vertex_count_++);
  }
  corners_.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) corners_.push_back({welded[t[0]], welded[t[1]], welded[t[2]]});
}

void TriangleIndex::connect(const Mesh& mesh) {
  const std::size_t n = corners_.size();
  std::vector<DirectedEdge> edges;
  edges.reserve(3 * n);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t k = 0; k < 3; ++k) edges.push_back({corners_[i][k], corners_[i][(k + 1) % 3], i, k});
  }
  std::sort(edges.begin(), edges.end());
  neighbours_.assign(n, {-1, -1, -1});
  flags_.assign(n, {});
  Opposite opposite(edges, normals_);
  for (const DirectedEdge& e : edges) {
    const auto& t = mesh.triangles[e.triangle];
    const Vec3 along = mesh.vertices[t[(e.k + 1) % 3]] - mesh.vertices[t[e.k]];
    const Vec3 &normal = normals_[e.triangle], out = normalized(cross(along, normal));
    double narrowest = Aabb::kInfinity;
    for (const DirectedEdge& other : opposite.candidates(e, along)) {
      const Vec3& across = normals_[other.triangle];
      const double turn = std::atan2(dot(across, out), dot(across, normal));
      if (!(turn < narrowest)) continue;
      narrowest = turn;
      neighbours_[e.triangle][e.k] = static_cast<int>(other.triangle);
    }
    const int found = neighbours_[e.triangle][e.k];
    if (found >= 0) set_edge(normal, normals_[found], out, static_cast<int>(e.k), flags_[e.triangle]);
  }
}

void TriangleIndex::collect_around() {
  around_start_.assign(vertex_count_ + 1, 0);
  for (const auto& c : corners_) {
    for (const std::uint32_t v : c) ++around_start_[v + 1];
  }
  std::partial_sum(around_start_.begin(), around_start_.end(), around_start_.begin());
  around_.resize(3 * corners_.size());
  std::vector<std::uint32_t> next(around_start_.begin(), around_start_.end() - 1);
  for (std::uint32_t i = 0; i < corners_.size(); ++i) {
    for (const std::uint32_t v : corners_[i]) around_[next[v]++] = i;
  }
}

}  // namespace rigor
