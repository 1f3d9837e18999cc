// Separating axes of two convex polyhedra (Gregorius 2013, "The separating axis test between convex polyhedra", GDC).
//
// Along a unit axis n the polyhedra are apart by s(n) = min n·b - max n·a = -h(n), h being the support function of the
// Minkowski difference A - B. The largest s is attained at a face normal of A or of B, or at a cross product of two
// edges whose arcs on the Gauss map cross: only such pairs build a face of the difference, and for these s needs no
// search for support points.
//
// Most candidates are pruned before: every vertex w of A - B found on the way bounds h(n) >= n·w, so that s(n) <= -n·w.
// A face whose bound is below the best s so far needs no support point; an edge whose two faces are both bounded by one
// and the same w needs no partner, because h along the arc between them is bounded, too. With a good first guess (the
// plane of the last step) a few faces and edges around the contact are left. The bound is exact: nothing is lost but
// rounding. Where the guess can be shown to be the best one (minkowski_face.cpp) there is no search at all.
//
// Cost: O(F) dot products plus O(V) for each face that is not pruned and O(1) for each pair of edges that are not; all
// E_a E_b pairs in the worst case (deep, concentric polyhedra). Edges are parallel below a sine of 1e-6, as in
// sat_box_box.cpp.
#include "narrowphase/sat_hull.h"

#include <algorithm>
#include <cmath>

#include "narrowphase/minkowski_face.h"

namespace rigor {

namespace {

constexpr double kParallel = 1e-6;    // sine
constexpr double kTie = 1e-9;         // of the size: faces of a before faces of b before edges
constexpr double kFloorSlack = 1e-6;  // of the size: well above what merging of faces moved their planes by
constexpr double kHysteresis = 0.01;  // of the depth, and
constexpr double kSlack = 1e-5;       // of the size: by this another plane has to be better than that of the last step

Vec3 edge_direction(const Polyhedron& p, const Hull::Edge& e) { return p.vertices[e.v1] - p.vertices[e.v0]; }

/// Vertices w of A - B, seen from one of the polyhedra; each bounds s(n) from above. For each octant, and for each face
/// of the polyhedron, the one that did so last is cached and tried first.
class Bounds {
 public:
  void add(const Vec3& w) { w_[count_ < kCapacity ? count_++ : next_++ % kCapacity] = w; }

  /// Does one of them show that h >= `depth` at the normal n of the face?
  bool reach(int face, const Vec3& n, double depth) {
    std::uint8_t& likely = likely_[int{n.x < 0} + 2 * int{n.y < 0} + 4 * int{n.z < 0}];
    if (!any(likely, [&](const Vec3& w) { return dot(n, w) >= depth; })) return false;
    if (face < kFaces) of_face_[face] = likely;
    return true;
  }
  /// The face was not bounded, and has just given the last one.
  void note(int face) {
    if (face < kFaces)
      of_face_[face] = static_cast<std::uint8_t>(count_ < kCapacity ? count_ - 1 : (next_ - 1) % kCapacity);
  }
  /// Along the whole arc between the normals of two faces, by one and the same w. Between them a combination of normals
  /// is shorter than 1, which matters for negative depths only.
  bool reach_arc(int left, int right, const Vec3& n1, const Vec3& n2, double depth) {
    if (depth < 0) depth *= std::sqrt(std::max(0.0, 0.5 + 0.5 * dot(n1, n2)));
    const auto test = [&](const Vec3& w) { return dot(n1, w) >= depth && dot(n2, w) >= depth; };
    if (left < kFaces && test(w_[of_face_[left]])) return true;
    std::uint8_t likely = right < kFaces ? of_face_[right] : std::uint8_t{0};
    return any(likely, test);
  }

 private:
  static constexpr int kCapacity = 32, kFaces = 2048;

  template <class Test> bool any(std::uint8_t& likely, Test test) {
    if (likely < count_ && test(w_[likely])) return true;
    for (int i = 0; i < count_; ++i) {
      if (test(w_[i])) return likely = static_cast<std::uint8_t>(i), true;
    }
    return false;
  }
  Vec3 w_[kCapacity];
  std::uint8_t likely_[8] = {};
  std::uint8_t of_face_[kFaces];  // written for every face before edges are asked for
  int count_ = 0, next_ = 0;
};

class Search {
 public:
  Search(const PolyhedronPair& pair, double envelope) : p_(pair), envelope_(envelope), margin_(kTie * pair.size) {}
  Separation run(const PlaneFeature& guess);

 private:
  /// An edge of b, not pruned, in the frame of a.
  struct EdgeOfB {
    Vec3 direction, start, left, right;
    int index;
  };
  static constexpr int kChunk = 64;

  double measure(const Vec3& n);
  bool confirm(const Separation& guess);
  void add_bound(const Vec3& w) { bounds_a_.add(w), bounds_b_.add(-(p_.r_transposed * w)); }
  void offer(const PlaneFeature& feature, const Vec3& n, double separation);
  bool apart() const { return best_.separation > envelope_; }
  /// By so much a plane has to be better than that of the last step.
  double reluctance(double separation) const { return kHysteresis * std::abs(separation) + kSlack * p_.size; }
  bool still_touches(const Separation& s) const;
  void faces_a();
  void faces_b();
  void edges();
  int collect_edges_of_b(int& next, EdgeOfB* chunk);
  void edge_of_a(int index, const EdgeOfB* chunk, int count);

  const PolyhedronPair& p_;
  double envelope_, margin_;
  Vec3 on_a_, on_b_;            // the vertices that measure() found
  Bounds bounds_a_, bounds_b_;  // b's: -w in the frame of b, as its normals point the other way
  Separation best_{{}, {}, -Aabb::kInfinity};
  double floor_ = -Aabb::kInfinity;  // some direction separates by this; planes that do not are of no use
};

double Search::measure(const Vec3& n) {
  on_a_ = p_.a.vertices[farthest_vertex(p_.a, n)];
  on_b_ = p_.r * p_.b.vertices[farthest_vertex(p_.b, -(p_.r_transposed * n))] + p_.t;
  add_bound(on_a_ - on_b_);
  return dot(n, on_b_ - on_a_);
}

/// True if the guess is certainly the best plane. If not, the distances found so far are bounds.
bool Search::confirm(const Separation& guess) {
  const MinkowskiFace face = minkowski_face(p_, guess, on_a_, on_b_);
  if (still_touches(guess) && is_best_plane(face, minkowski_center(p_), guess, 0.5 * reluctance(guess.separation)))
    return true;
  for (int i = 0; i < face.count; ++i) add_bound(face.corner[static_cast<std::size_t>(i)]);
  return false;
}

void Search::offer(const PlaneFeature& feature, const Vec3& n, double separation) {
  floor_ = std::max(floor_, separation - kFloorSlack * p_.size);
  if (separation > best_.separation + margin_) best_ = {feature, n, separation};
}

void Search::faces_a() {
  for (int f = 0; f < p_.a.face_count && !apart(); ++f) {
    const Vec3& n = p_.a.normals[f];
    if (bounds_a_.reach(f, n, -floor_)) continue;
    const Vec3 b = p_.r * p_.b.vertices[farthest_vertex(p_.b, -(p_.r_transposed * n))] + p_.t;
    add_bound(p_.a.vertices[p_.a.faces[f][0]] - b);
    bounds_a_.note(f);
    offer({PlaneFeature::Kind::face_a, f, 0}, n, dot(n, b) - p_.a.offsets[f]);
  }
}

void Search::faces_b() {
  for (int f = 0; f < p_.b.face_count && !apart(); ++f) {
    const Vec3& m = p_.b.normals[f];
    if (bounds_b_.reach(f, m, -floor_)) continue;
    const Vec3 n = -(p_.r * m), a = p_.a.vertices[farthest_vertex(p_.a, n)];
    add_bound(a - (p_.r * p_.b.vertices[p_.b.faces[f][0]] + p_.t));
    bounds_b_.note(f);
    offer({PlaneFeature::Kind::face_b, f, 0}, n, dot(n, p_.t - a) - p_.b.offsets[f]);
  }
}

int Search::collect_edges_of_b(int& next, EdgeOfB* chunk) {
  int count = 0;
  for (; next < p_.b.edge_count && count < kChunk; ++next) {
    const Hull::Edge& e = p_.b.edges[next];
    const Vec3 &left = p_.b.normals[e.face_left], &right = p_.b.normals[e.face_right];
    if (bounds_b_.reach_arc(e.face_left, e.face_right, left, right, -floor_)) continue;
    chunk[count++] = {p_.r * edge_direction(p_.b, e), p_.r * p_.b.vertices[e.v0] + p_.t, p_.r * left, p_.r * right,
                      next};
  }
  return count;
}

void Search::edge_of_a(int index, const EdgeOfB* chunk, int count) {
  const Hull::Edge& e = p_.a.edges[index];
  const Vec3 &left = p_.a.normals[e.face_left], &right = p_.a.normals[e.face_right], d = edge_direction(p_.a, e);
  for (int k = 0; k < count; ++k) {
    const EdgeOfB& f = chunk[k];
    // Arc left-right of a against arc of the negated normals of b: each crosses the other's plane, on the same
    // hemisphere.
    const double b_left = dot(f.left, d), b_right = dot(f.right, d);
    if (b_left * b_right >= 0) continue;
    const double a_left = dot(left, f.direction), a_right = dot(right, f.direction);
    if (a_left * a_right >= 0 || b_left * a_right >= 0) continue;
    const Vec3 c = cross(d, f.direction);
    const double size = length_squared(c);
    if (size <= kParallel * kParallel * length_squared(d) * length_squared(f.direction)) continue;
    const double scale = (dot(c, left) + dot(c, right) < 0 ? -1.0 : 1.0) / std::sqrt(size);
    const Vec3 n = scale * c;
    offer({PlaneFeature::Kind::edges, index, f.index}, n, dot(n, f.start - p_.a.vertices[e.v0]));
  }
}

void Search::edges() {
  EdgeOfB chunk[kChunk];
  for (int next = 0; next < p_.b.edge_count;) {
    const int count = collect_edges_of_b(next, chunk);
    for (int i = 0; count > 0 && i < p_.a.edge_count && !apart(); ++i) {
      const Hull::Edge& e = p_.a.edges[i];
      const Vec3 &left = p_.a.normals[e.face_left], &right = p_.a.normals[e.face_right];
      if (!bounds_a_.reach_arc(e.face_left, e.face_right, left, right, -floor_)) edge_of_a(i, chunk, count);
    }
  }
}

/// Two edges may no longer be where the polyhedra are nearest along the cross product of their directions.
bool Search::still_touches(const Separation& s) const {
  if (s.feature.kind != PlaneFeature::Kind::edges) return true;
  const Vec3& a = p_.a.vertices[p_.a.edges[s.feature.first].v0];
  const Vec3 b = p_.r * p_.b.vertices[p_.b.edges[s.feature.second].v0] + p_.t;
  return dot(s.normal, b - a) <= s.separation + kFloorSlack * p_.size;
}

Separation Search::run(const PlaneFeature& guess) {
  Vec3 n;
  const bool guessed = plane_normal(p_, guess, n);
  Separation first{guess, n, guessed ? measure(n) : -Aabb::kInfinity};
  if (!guessed) {
    const Vec3 d = p_.r * p_.b.center + p_.t - p_.a.center;
    const double distance = length(d);
    n = distance > 0 ? d / distance : Vec3{0, 1, 0};
    first = {{}, n, measure(n)};
  }
  if (guessed && (first.separation > envelope_ || confirm(first))) return first;
  add_bound(minkowski_center(p_));
  // Any plane beyond the envelope is enough, and will be found again in the next step.
  floor_ = std::min(first.separation, envelope_) - kFloorSlack * p_.size;
  faces_a();
  if (!apart()) faces_b();
  if (!apart()) edges();
  const bool keep = guessed && !apart() && first.separation >= best_.separation - reluctance(best_.separation) &&
                    still_touches(first);
  // Apart and corner to corner, the first direction may separate by more than every plane, which then were all left out.
  const bool pruned = !apart() && best_.separation < first.separation - kFloorSlack * p_.size;
  return keep || pruned || best_.feature.kind == PlaneFeature::Kind::none ? first : best_;
}

}  // namespace

std::uint32_t PlaneFeature::packed() const {
  return static_cast<std::uint32_t>(kind) << 30 | (static_cast<std::uint32_t>(first) & 0x7fffu) << 15 |
         (static_cast<std::uint32_t>(second) & 0x7fffu);
}

PlaneFeature PlaneFeature::unpack(std::uint32_t packed) {
  return {static_cast<Kind>(packed >> 30), static_cast<int>(packed >> 15 & 0x7fffu),
          static_cast<int>(packed & 0x7fffu)};
}

PolyhedronPair polyhedron_pair(const Polyhedron& a, const Polyhedron& b, const Transform& b_in_a) {
  const Mat3 r = rotation_matrix(b_in_a.rotation);
  return {a, b, r, transpose(r), b_in_a.translation, std::min(a.size, b.size)};
}

bool plane_normal(const PolyhedronPair& p, const PlaneFeature& feature, Vec3& normal) {
  using Kind = PlaneFeature::Kind;
  if (feature.kind == Kind::face_a && feature.first < p.a.face_count) return normal = p.a.normals[feature.first], true;
  if (feature.kind == Kind::face_b && feature.first < p.b.face_count) {
    return normal = -(p.r * p.b.normals[feature.first]), true;
  }
  if (feature.kind != Kind::edges || feature.first >= p.a.edge_count || feature.second >= p.b.edge_count) return false;
  const Hull::Edge &e = p.a.edges[feature.first], &f = p.b.edges[feature.second];
  const Vec3 d = edge_direction(p.a, e), g = p.r * edge_direction(p.b, f), c = cross(d, g);
  const double size = length_squared(c);
  if (size <= kParallel * kParallel * length_squared(d) * length_squared(g)) return false;
  const double side = dot(c, p.a.normals[e.face_left]) + dot(c, p.a.normals[e.face_right]);
  normal = ((side < 0 ? -1.0 : 1.0) / std::sqrt(size)) * c;
  return true;
}

double separation_along(const PolyhedronPair& p, const Vec3& n) {
  const Vec3& a = p.a.vertices[farthest_vertex(p.a, n)];
  const Vec3& b = p.b.vertices[farthest_vertex(p.b, -(p.r_transposed * n))];
  return dot(n, p.r * b + p.t - a);
}

Separation best_plane(const PolyhedronPair& pair, const PlaneFeature& guess, double envelope) {
  return Search(pair, envelope).run(guess);
}

void collide_polyhedra(const PolyhedronPair& pair, const PairQuery& query, PairCache& cache,
                       std::vector<Manifold>& out) {
  const Separation plane = best_plane(pair, PlaneFeature::unpack(cache.feature), query.envelope);
  cache.feature = plane.feature.packed();
  if (plane.separation <= query.envelope) plane_contact(pair, query, plane, cache, out);
}

}  // namespace rigor
