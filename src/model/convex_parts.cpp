#include "model/convex_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "model/checks.h"
#include "model/hull_error.h"
#include "model/mesh_distance.h"
#include "model/polyhedron_mass.h"
#include "model/surface_crossing.h"
#include "rigor/error.h"
#include "rigor/mass_properties.h"

namespace rigor {

namespace {

constexpr int kUniformCuts = 7;        // places along a direction that a cut is tried at
constexpr std::size_t kEdgeCuts = 12;  // and at most this many at corners where the surface bends inwards
constexpr double kThinnest = 1e-4;     // of the size of the mesh: what a cut has to leave on both sides
constexpr double kJoinVolume = 1.25;   // two parts whose hull has more than this times their volume are not tried

struct CutPlane {
  Vec3 normal;
  double offset;  // the piece is where normal·p <= offset
};

/// A piece of the solid between planes: its surface as polygons, without the cut faces, and corners of cut faces inside of the solid.
struct Piece {
  std::vector<std::vector<Vec3>> polygons;
  std::vector<CutPlane> planes;
  std::vector<Vec3> inner_corners;
  ShapePtr hull;
  double volume = 0;
  HullError error;

  std::vector<Vec3> points() const {
    std::vector<Vec3> all = inner_corners;
    for (const auto& polygon : polygons) all.insert(all.end(), polygon.begin(), polygon.end());
    return all;
  }
};

double volume_of(const Shape& hull) { return polyhedron_mass(*hull.as<Hull>(), 1).mass; }

/// Sutherland and Hodgman 1974, for one plane. A polygon that lies in the plane is dropped: it may belong to the other half, and its corners are those of its
/// neighbours as well.
std::vector<Vec3> clipped(const std::vector<Vec3>& polygon, const CutPlane& plane, double rounding) {
  std::vector<Vec3> kept;
  bool inside = false;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3 &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const double s = dot(plane.normal, p) - plane.offset, t = dot(plane.normal, q) - plane.offset;
    if (s <= 0) kept.push_back(p);
    inside = inside || s < -rounding;
    if ((s < 0 && t > 0) || (s > 0 && t < 0)) kept.push_back(p + (q - p) * (s / (s - t)));
  }
  return kept.size() < 3 || !inside ? std::vector<Vec3>{} : kept;
}

/// The point that three planes share.
std::optional<Vec3> corner_of(const CutPlane& a, const CutPlane& b, const CutPlane& c) {
  const Mat3 m{{a.normal, b.normal, c.normal}};
  if (std::abs(determinant(m)) < 1e-6) return std::nullopt;
  return inverse(m) * Vec3{a.offset, b.offset, c.offset};
}

/// Directions spread over the sphere (a Fibonacci spiral), for supports of point sets.
const std::vector<Vec3>& directions() {
  static const std::vector<Vec3> all = [] {
    constexpr int kCount = 60;
    std::vector<Vec3> list = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < kCount; ++i) {
      const double z = 1 - (2 * i + 1.0) / kCount, r = std::sqrt(1 - z * z);
      double s, c;
      sin_cos(i * 2.39996322972865332, s, c);  // the golden angle
      list.push_back({r * c, r * s, z});
    }
    return list;
  }();
  return all;
}

/// The volume of the hull of the points that are extreme in some of the directions; negative where they are flat.
double rough_volume(const std::vector<Vec3>& points) {
  std::vector<Vec3> extreme;
  for (const Vec3& d : directions()) {
    const auto far = std::max_element(points.begin(), points.end(),
                                      [&](const Vec3& a, const Vec3& b) { return dot(a, d) < dot(b, d); });
    if (far != points.end()) extreme.push_back(*far);
  }
  try {
    return volume_of(*convex_hull(extreme));
  } catch (const Error&) {
    return -1;
  }
}

class Decomposer {
 public:
  Decomposer(const Mesh& mesh, const DecompositionOptions& options)
      : mesh_(mesh), solid_(mesh.vertices, mesh.triangles), most_(static_cast<std::size_t>(options.parts)) {
    Aabb bounds;
    for (const Vec3& v : mesh.vertices) bounds.include(v);
    size_ = length(bounds.upper - bounds.lower);
    result_.wanted = options.error > 0 ? options.error : options.relative_error * size_;
    find_cut_directions();
    find_bends();
  }

  Decomposition run() {
    Piece whole;
    for (const auto& t : mesh_.triangles) {
      std::vector<Vec3> polygon;
      for (const int i : t) polygon.push_back(mesh_.vertices[static_cast<std::size_t>(i)]);
      whole.polygons.push_back(std::move(polygon));
    }
    finish(whole);
    pieces_.push_back(std::move(whole));
    while (pieces_.size() < most_) {
      const auto worst = std::max_element(pieces_.begin(), pieces_.end(),
                                          [](const Piece& a, const Piece& b) { return a.error.bound < b.error.bound; });
      if (worst->error.bound <= result_.wanted || !split(static_cast<std::size_t>(worst - pieces_.begin()))) break;
    }
    result_.reached_limit = pieces_.size() >= most_;
    join();
    for (const Piece& piece : pieces_) {
      result_.parts.push_back(piece.hull);
      result_.error = std::max(result_.error, piece.error.bound);
    }
    return std::move(result_);
  }

 private:
  /// The axes of the file, and those of the inertia where they are others.
  void find_cut_directions() {
    directions_ = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const MassProperties mass = polyhedron_mass(mesh_.vertices, mesh_.triangles, 1);
    const Quat axes = principal_axes(mass.inertia).axes;
    for (const Vec3& e : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
      const Vec3 d = rotate(axes, e);
      if (std::max({std::abs(d.x), std::abs(d.y), std::abs(d.z)}) < 1 - 1e-3) directions_.push_back(d);
    }
  }

  /// Corners of edges at which the surface bends inwards: good places for cuts.
  void find_bends() {
    std::map<std::pair<int, int>, Vec3> normal_of;  // by directed edge
    const auto at = [&](int i) { return mesh_.vertices[static_cast<std::size_t>(i)]; };
    for (const auto& t : mesh_.triangles) {
      const Vec3 n = normalized(cross(at(t[1]) - at(t[0]), at(t[2]) - at(t[0])));
      for (std::size_t k = 0; k < 3; ++k) normal_of[{t[k], t[(k + 1) % 3]}] = n;
    }
    for (const auto& [edge, n] : normal_of) {
      const auto other = normal_of.find({edge.second, edge.first});
      if (edge.first > edge.second || other == normal_of.end()) continue;
      const Vec3 along = at(edge.second) - at(edge.first);
      if (dot(cross(n, other->second), along) < -1e-3 * length(along))
        bends_.push_back(at(edge.first)), bends_.push_back(at(edge.second));
    }
  }

  void finish(Piece& piece) const {
    piece.hull = convex_hull(piece.points());
    piece.volume = volume_of(*piece.hull);
    piece.error = hull_error(*piece.hull->as<Hull>(), solid_, result_.wanted);
  }

  Piece half(const Piece& piece, const CutPlane& plane) const {
    Piece out;
    out.planes = piece.planes;
    for (const auto& polygon : piece.polygons)
      if (std::vector<Vec3> kept = clipped(polygon, plane, 1e-9 * size_); !kept.empty())
        out.polygons.push_back(std::move(kept));
    for (const Vec3& p : piece.inner_corners)
      if (dot(plane.normal, p) <= plane.offset) out.inner_corners.push_back(p);
    for (std::size_t i = 0; i < piece.planes.size(); ++i)
      for (std::size_t k = i + 1; k < piece.planes.size(); ++k)
        if (const auto p = corner_of(plane, piece.planes[i], piece.planes[k]); p && is_inner_corner(*p, piece, i, k))
          out.inner_corners.push_back(*p);
    out.planes.push_back(plane);
    return out;
  }

  bool is_inner_corner(const Vec3& p, const Piece& piece, std::size_t i, std::size_t k) const {
    for (std::size_t n = 0; n < piece.planes.size(); ++n)
      if (n != i && n != k && dot(piece.planes[n].normal, p) > piece.planes[n].offset) return false;
    return solid_(p) < 0;
  }

  /// Where to cut along a direction, ascending.
  std::vector<double> places(const Piece& piece, const Vec3& direction, double lower, double upper) const {
    std::vector<double> list, bends;
    for (int k = 1; k <= kUniformCuts; ++k) list.push_back(lower + (upper - lower) * k / (kUniformCuts + 1));
    list.push_back(dot(direction, piece.error.where));
    const Aabb& box = piece.hull->local_bounds();
    for (const Vec3& p : bends_)
      if (overlap(box, {p, p})) bends.push_back(dot(direction, p));
    std::sort(bends.begin(), bends.end());
    bends.erase(std::unique(bends.begin(), bends.end(), [&](double a, double b) { return b - a < 1e-6 * size_; }),
                bends.end());
    const std::size_t stride = std::max<std::size_t>(1, (bends.size() + kEdgeCuts - 1) / kEdgeCuts);
    for (std::size_t i = 0; i < bends.size(); i += stride) list.push_back(bends[i]);
    std::sort(list.begin(), list.end());
    std::erase_if(list, [&](double x) { return x < lower + kThinnest * size_ || x > upper - kThinnest * size_; });
    return list;
  }

  /// The face of the hull that has the largest error, and how long it is along the directions of cuts, those along its normal last. A cut across it shortens what
  /// spans the gap; one along it would only leave the same gap one layer deeper.
  std::vector<Vec3> ordered_directions(const Piece& piece) const {
    const Hull& hull = *piece.hull->as<Hull>();
    std::size_t face = 0;
    for (std::size_t i = 0; i < hull.normals.size(); ++i)
      if (std::abs(dot(hull.normals[i], piece.error.where) - hull.offsets[i]) <
          std::abs(dot(hull.normals[face], piece.error.where) - hull.offsets[face]))
        face = i;
    const auto length_along = [&](const Vec3& d) {
      double lower = std::numeric_limits<double>::infinity(), upper = -lower;
      for (const int i : hull.faces[face]) {
        const double x = dot(d, hull.vertices[static_cast<std::size_t>(i)]);
        lower = std::min(lower, x), upper = std::max(upper, x);
      }
      const double along = dot(d, hull.normals[face]);
      return (upper - lower) * std::sqrt(std::max(0.0, 1 - along * along));
    };
    std::vector<Vec3> list = directions_;
    std::stable_sort(list.begin(), list.end(),
                     [&](const Vec3& a, const Vec3& b) { return length_along(a) > length_along(b); });
    return list;
  }

  /// Where a cut along a direction leaves the least volume in the two hulls.
  std::optional<CutPlane> best_cut(const Piece& piece, const std::vector<Vec3>& points, const Vec3& direction) const {
    std::optional<CutPlane> best;
    double least = std::numeric_limits<double>::infinity();
    double lower = least, upper = -least;
    for (const Vec3& p : points) lower = std::min(lower, dot(direction, p)), upper = std::max(upper, dot(direction, p));
    for (const double place : places(piece, direction, lower, upper)) {
      const CutPlane plane{direction, place};
      const double a = rough_volume(half(piece, plane).points());
      const double b = rough_volume(half(piece, {-direction, -place}).points());
      if (a < 0 || b < 0) continue;
      // Among equally good cuts, the one nearer to the middle wins.
      const double middle = std::abs(place - 0.5 * (lower + upper)) / (upper - lower);
      const double cost = (a + b) * (1 + 0.02 * middle);
      if (cost < least) least = cost, best = plane;
    }
    return best;
  }

  /// Replaces a piece by its two halves; false where no cut is possible.
  bool split(std::size_t index) {
    const Piece piece = pieces_[index];
    const std::vector<Vec3> points = piece.points();
    std::optional<CutPlane> best;
    for (const Vec3& direction : ordered_directions(piece))
      if ((best = best_cut(piece, points, direction))) break;
    if (!best) return false;
    Piece a = half(piece, *best), b = half(piece, {-best->normal, -best->offset});
    try {
      finish(a), finish(b);
    } catch (const Error&) {  // a half is flat
      return false;
    }
    pieces_[index] = std::move(a);
    pieces_.push_back(std::move(b));
    return true;
  }

  static bool touch(const Piece& a, const Piece& b, double gap) {
    Aabb box = a.hull->local_bounds();
    const Vec3 g{gap, gap, gap};
    box = {box.lower - g, box.upper + g};
    return overlap(box, b.hull->local_bounds());
  }

  /// Joins the pair whose common hull adds the least volume, as long as a pair keeps the bound.
  void join() {
    std::map<std::pair<std::size_t, std::size_t>, std::optional<Piece>> tried;  // by serial numbers
    std::vector<std::size_t> serial(pieces_.size());
    for (std::size_t i = 0; i < serial.size(); ++i) serial[i] = i;
    std::size_t next = serial.size();
    for (;;) {
      std::optional<std::pair<std::size_t, std::size_t>> best;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < pieces_.size(); ++i)
        for (std::size_t k = i + 1; k < pieces_.size(); ++k) {
          const auto key = std::make_pair(serial[i], serial[k]);
          if (!tried.contains(key)) tried[key] = joined(pieces_[i], pieces_[k]);
          if (const auto& common = tried[key];
              common && common->volume / (pieces_[i].volume + pieces_[k].volume) < least)
            least = common->volume / (pieces_[i].volume + pieces_[k].volume), best = {i, k};
        }
      if (!best) return;
      const auto [i, k] = *best;
      pieces_[i] = *tried[{serial[i], serial[k]}];
      serial[i] = next++;
      pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(k));
      serial.erase(serial.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }

  std::optional<Piece> joined(const Piece& a, const Piece& b) const {
    if (!touch(a, b, kThinnest * size_)) return std::nullopt;
    Piece common;
    common.polygons = a.polygons;
    common.polygons.insert(common.polygons.end(), b.polygons.begin(), b.polygons.end());
    common.inner_corners = a.hull->as<Hull>()->vertices;
    const auto& more = b.hull->as<Hull>()->vertices;
    common.inner_corners.insert(common.inner_corners.end(), more.begin(), more.end());
    common.hull = convex_hull(common.inner_corners);
    common.volume = volume_of(*common.hull);
    if (common.volume > kJoinVolume * (a.volume + b.volume)) return std::nullopt;
    common.error = hull_error(*common.hull->as<Hull>(), solid_, result_.wanted);
    if (common.error.bound > result_.wanted) return std::nullopt;
    return common;
  }

  const Mesh& mesh_;
  MeshDistance solid_;
  std::size_t most_;
  double size_ = 0;  // m
  std::vector<Vec3> directions_, bends_;
  std::vector<Piece> pieces_;
  Decomposition result_;
};

/// 128 bits of FNV-1a, two seeds: enough to tell the meshes of a process apart.
struct ContentHash {
  std::uint64_t low = 0xcbf29ce484222325ull, high = 0x9ae16a3b2f90404full;

  void add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) {
      low = (low ^ bytes[i]) * 0x100000001b3ull;
      high = (high ^ (bytes[i] + 0x9dull)) * 0x100000001b3ull;
    }
  }
  auto operator<=>(const ContentHash&) const = default;
};

ContentHash hash_of(const Mesh& mesh, const DecompositionOptions& options) {
  ContentHash hash;
  const std::uint64_t counts[2] = {mesh.vertices.size(), mesh.triangles.size()};
  hash.add(counts, sizeof counts);
  hash.add(mesh.vertices.data(), mesh.vertices.size() * sizeof(Vec3));
  hash.add(mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]));
  const double numbers[3] = {options.error, options.relative_error, static_cast<double>(options.parts)};
  hash.add(numbers, sizeof numbers);
  return hash;
}

}  // namespace

ShapePtr Decomposition::shape() const {
  if (parts.size() == 1) return parts[0];
  std::vector<Composite::Part> list;
  for (const ShapePtr& part : parts) list.push_back({part, {}, std::nullopt});
  return composite(std::move(list));
}

std::string Decomposition::sentence() const {
  std::string text = parts.size() == 1 ? "its convex hull" : std::to_string(parts.size()) + " convex parts";
  if (error > 0)
    text += parts.size() == 1 ? ", which leaves the solid by up to " + number_text(error) + " m"
                              : ", none of which leaves the solid by more than " + number_text(error) + " m";
  if (is_within_bound()) return text;
  text += "; the bound of " + number_text(wanted) + " m ";
  if (!crossing.empty()) return text + "cannot be met: the surface crosses or touches itself at " + crossing;
  return text + (reached_limit ? "needs more parts than allowed" : "cannot be met: no further cut was possible");
}

namespace {

struct StoreOfParts {
  std::mutex mutex;
  std::map<ContentHash, std::unique_ptr<const Decomposition>> known;
  std::shared_ptr<const PartsStore> store;
};

StoreOfParts& all_parts() {
  static StoreOfParts all;
  return all;
}

std::string key_of(const ContentHash& hash) {
  static constexpr char kDigits[] = "0123456789abcdef";
  constexpr int kAlgorithm = 1;  // version of the algorithm: increase it if its results change
  std::string key = std::to_string(kAlgorithm) + "-";
  for (const std::uint64_t word : {hash.high, hash.low})
    for (int k = 60; k >= 0; k -= 4) key += kDigits[word >> k & 15];
  return key;
}

/// Makes shapes of both new and stored parts, so that they are equal to the last bit.
Decomposition made_of(const StoredParts& stored) {
  Decomposition out;
  out.error = stored.error, out.wanted = stored.wanted;
  out.reached_limit = stored.reached_limit, out.crossing = stored.crossing;
  for (const std::vector<Vec3>& corners : stored.corners) out.parts.push_back(convex_hull(corners));
  return out;
}

StoredParts stored_form(const Mesh& mesh, const Decomposition& parts) {
  StoredParts stored{parts.error, parts.wanted, parts.reached_limit, "", {}};
  if (!parts.is_within_bound())
    if (const auto where = surface_crossing(mesh.vertices, mesh.triangles))
      stored.crossing = "(" + number_text(where->x) + ", " + number_text(where->y) + ", " + number_text(where->z) + ")";
  for (const ShapePtr& part : parts.parts) stored.corners.push_back(part->as<Hull>()->vertices);
  return stored;
}

}  // namespace

void set_parts_store(std::shared_ptr<const PartsStore> store) {
  const std::lock_guard lock(all_parts().mutex);
  all_parts().store = std::move(store);
}

const Decomposition& decompose(const Mesh& mesh, const DecompositionOptions& options) {
  if (!mesh.closed) throw Error("decompose", "expected a closed surface; an open one has no inside");
  StoreOfParts& all = all_parts();
  const std::lock_guard lock(all.mutex);
  const ContentHash hash = hash_of(mesh, options);
  std::unique_ptr<const Decomposition>& entry = all.known[hash];
  if (entry) return *entry;
  if (all.store)
    if (const std::optional<StoredParts> stored = all.store->load(key_of(hash))) {
      try {
        entry = std::make_unique<const Decomposition>(made_of(*stored));
        return *entry;
      } catch (const Error&) {  // the stored parts are damaged: decompose again
      }
    }
  const StoredParts stored = stored_form(mesh, Decomposer(mesh, options).run());
  entry = std::make_unique<const Decomposition>(made_of(stored));
  if (all.store) all.store->save(key_of(hash), stored);
  return *entry;
}

}  // namespace rigor
