// The poses of the collision benchmarks: touching pairs that jitter and turn a little, as in a settling pile.
#include <cmath>
#include <cstdint>

#include "lab/collision_bench.h"
#include "narrowphase/convex.h"
#include "narrowphase/gjk.h"

namespace rigor {

namespace {

/// Small and reproducible; quality does not matter here.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform(double a, double b) {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    return a + (b - a) * static_cast<double>(state_ >> 11) * 0x1.0p-53;
  }
  Vec3 vector(double r) { return {uniform(-r, r), uniform(-r, r), uniform(-r, r)}; }
  Quat orientation() { return normalized(Quat{uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(0.1, 1)}); }

 private:
  std::uint64_t state_;
};

constexpr std::size_t kPairs = 200, kFrames = 30;
constexpr double kStep = 0.002, kTurn = 0.01;  // m and rad between two frames

/// Adds frames in which b wanders about its first pose.
void add_pair(PairBenchmark& bench, std::size_t k, const Transform& a, Transform b, Random& random) {
  for (std::size_t f = 0; f < bench.frames; ++f) {
    bench.pose_a[f * bench.pairs + k] = a;
    bench.pose_b[f * bench.pairs + k] = b;
    b.translation += random.vector(kStep);
    b.rotation = normalized(quaternion_from_rotation_vector(random.vector(kTurn)) * b.rotation);
  }
}

PairBenchmark empty_benchmark(const std::string& name, ShapePtr a, ShapePtr b) {
  PairBenchmark bench{name, std::move(a), std::move(b), kPairs, kFrames, {}, {}};
  bench.pose_a.resize(kPairs * kFrames);
  bench.pose_b.resize(kPairs * kFrames);
  return bench;
}

/// Two convex shapes; half of the pairs touch face to face, half in any way.
PairBenchmark convex_benchmark(const std::string& name, const ShapePtr& a, const ShapePtr& b, std::uint64_t seed) {
  PairBenchmark bench = empty_benchmark(name, a, b);
  Random random(seed);
  for (std::size_t k = 0; k < bench.pairs; ++k) {
    const Transform pose_a{random.vector(10), random.orientation()};
    Transform b_in_a{{0, 0, 0},
                     k % 2 ? random.orientation() : quaternion_from_axis_angle({0, 1, 0}, random.uniform(0, 6))};
    const Vec3 direction = k % 2 ? normalized(random.vector(1)) : Vec3{0, 1, 0};
    b_in_a.translation = 10.0 * direction;
    Vec3 axis;
    const double gap = convex_distance(convex_view(*a), convex_view(*b), b_in_a, 1e9, axis).separation;
    b_in_a.translation -= (gap + 0.005) * direction;
    add_pair(bench, k, pose_a, pose_a * b_in_a, random);
  }
  return bench;
}

double hill(double x, double z) { return 0.4 * std::sin(0.9 * x) * std::cos(0.7 * z); }

ShapePtr hill_mesh(int n, double spacing) {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double x = (i - 0.5 * (n - 1)) * spacing, z = (j - 0.5 * (n - 1)) * spacing;
      vertices.push_back({x, hill(x, z), z});
    }
  for (int j = 0; j + 1 < n; ++j)
    for (int i = 0; i + 1 < n; ++i) {
      const int v = j * n + i;
      triangles.push_back({v, v + n, v + 1});
      triangles.push_back({v + 1, v + n, v + n + 1});
    }
  return mesh(vertices, triangles);
}

ShapePtr hill_field(int n, double spacing) {
  std::vector<double> heights;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) heights.push_back(hill((i - 0.5 * (n - 1)) * spacing, (j - 0.5 * (n - 1)) * spacing));
  return height_field(n, n, spacing, spacing, heights);
}

/// A small shape lying on hills; `low` is how far below its center it touches.
PairBenchmark hills_benchmark(const std::string& name, const ShapePtr& ground, const ShapePtr& shape, double low,
                              std::uint64_t seed) {
  PairBenchmark bench = empty_benchmark(name, ground, shape);
  Random random(seed);
  for (std::size_t k = 0; k < bench.pairs; ++k) {
    const double x = random.uniform(-20, 20), z = random.uniform(-20, 20);
    const Quat lying =
        quaternion_from_axis_angle({0, 1, 0}, random.uniform(0, 6)) * quaternion_from_axis_angle({0, 0, 1}, kPi / 2);
    add_pair(bench, k, {}, {{x, hill(x, z) + low - 0.01, z}, lying}, random);
  }
  return bench;
}

/// 32 points on a ball, so that every one is a corner.
ShapePtr round_hull() {
  std::vector<Vec3> points;
  for (int i = 0; i < 32; ++i) {
    const double y = 1 - 2 * (i + 0.5) / 32, r = std::sqrt(1 - y * y), phi = i * 2.399963229728653;
    points.push_back(0.5 * Vec3{r * std::cos(phi), y, r * std::sin(phi)});
  }
  return convex_hull(points);
}

}  // namespace

std::vector<PairBenchmark> pair_benchmarks() {
  const ShapePtr hull = round_hull(), cuboid = box(1, 0.8, 0.6);
  return {convex_benchmark("box-box", cuboid, cuboid, 1), convex_benchmark("hull-hull", hull, hull, 2),
          hills_benchmark("capsule-mesh", hill_mesh(129, 0.5), capsule(0.3, 0.8), 0.3, 3),
          hills_benchmark("sphere-heightfield", hill_field(129, 0.5), sphere(0.3), 0.3, 4)};
}

BroadphaseBenchmark broadphase_benchmark(std::size_t bodies, std::size_t frames) {
  BroadphaseBenchmark bench{bodies, frames, std::vector<Aabb>(bodies * frames)};
  Random random(5);
  const double room = 0.5 * std::cbrt(static_cast<double>(bodies)) * 1.1;
  for (std::size_t k = 0; k < bodies; ++k) {
    Vec3 center = random.vector(room);
    const Vec3 half = Vec3{0.5, 0.5, 0.5} + random.vector(0.1), velocity = random.vector(0.05);
    for (std::size_t f = 0; f < frames; ++f) {
      bench.boxes[f * bodies + k] = {center - half, center + half};
      center += velocity;
    }
  }
  return bench;
}

}  // namespace rigor
