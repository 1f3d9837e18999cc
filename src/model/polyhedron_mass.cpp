// Volume, center of mass and inertia of a polyhedron.
//
// Mirtich 1996, "Fast and accurate computation of polyhedral mass properties": the divergence theorem turns the
// integrals over the volume into integrals over the faces, n being the outward normal,
//
//   ∫ 1 dV = ∫ n·p/3 dA      ∫ x dV = ½ ∫ n_x x² dA      ∫ x² dV = ⅓ ∫ n_x x³ dA      ∫ x y dV = ½ ∫ n_x x² y dA
//
// and the same with x, y, z permuted. Mirtich then projects a face and integrates along its edges. Our faces are cut
// into triangles, over which a polynomial has a closed integral, so that neither a projection nor a unit normal is
// needed: with barycentric coordinates λ, ∫ λ1^i λ2^j λ3^k dA = 2A i! j! k! / (i+j+k+2)!. N = (b - a) × (c - a) = 2A n.
//
// Digits are lost when the origin is far away, so there are two passes: volume and centroid about the middle of the
// bounds, second moments about the centroid. Cost: linear. Fails, with an Error, if the volume is not positive.
#include "model/polyhedron_mass.h"

#include <cmath>
#include <cstddef>

#include "rigor/error.h"

namespace rigor {

namespace {

using Triangles = std::vector<std::array<int, 3>>;

/// One triangle relative to the origin of the integration.
struct Triangle {
  Vec3 a, b, c;
  Vec3 normal;  // N: twice the area long

  Triangle(const std::vector<Vec3>& vertices, const std::array<int, 3>& t, const Vec3& origin)
      : a(vertices[t[0]] - origin),
        b(vertices[t[1]] - origin),
        c(vertices[t[2]] - origin),
        normal(cross(b - a, c - a)) {}

  double six_volumes() const { return dot(normal, a); }
};

Vec3 middle_of(const std::vector<Vec3>& vertices) {
  Aabb bounds;
  for (const Vec3& v : vertices) bounds.include(v);
  return 0.5 * bounds.lower + 0.5 * bounds.upper;
}

struct VolumeAndCentroid {
  double volume = 0;
  Vec3 centroid;
};

VolumeAndCentroid volume_and_centroid(const std::vector<Vec3>& vertices, const Triangles& triangles) {
  const Vec3 origin = middle_of(vertices);
  double six_volumes = 0;
  Vec3 moment;  // 24 ∫ p dV
  for (const auto& indices : triangles) {
    const Triangle t(vertices, indices, origin);
    six_volumes += t.six_volumes();
    for (int i = 0; i < 3; ++i) {
      const double a = t.a[i], b = t.b[i], c = t.c[i];
      moment[i] += t.normal[i] * (a * (a + b + c) + b * (b + c) + c * c);
    }
  }
  return {six_volumes / 6, origin + moment * (0.25 / six_volumes)};
}

/// 120 ∫ p pᵀ dV about `origin`.
Mat3 second_moments(const std::vector<Vec3>& vertices, const Triangles& triangles, const Vec3& origin) {
  Mat3 moments;
  for (const auto& indices : triangles) {
    const Triangle t(vertices, indices, origin);
    for (int i = 0; i < 3; ++i) {
      const double a = t.a[i], b = t.b[i], c = t.c[i], sum = a + b + c;
      const double squares = a * sum + b * (b + c) + c * c;
      // 60 ∫ x² y dA = 2A (y_a g_a + y_b g_b + y_c g_c), and the same with y = x for the cubes.
      const double g_a = squares + a * (sum + a), g_b = squares + b * (sum + b), g_c = squares + c * (sum + c);
      const int j = (i + 1) % 3;
      moments(i, i) += t.normal[i] * (a * g_a + b * g_b + c * g_c) * (2.0 / 3);
      moments(i, j) += t.normal[i] * (t.a[j] * g_a + t.b[j] * g_b + t.c[j] * g_c);
    }
  }
  for (int i = 0; i < 3; ++i) moments((i + 1) % 3, i) = moments(i, (i + 1) % 3);
  return moments;
}

Triangles fan_triangles(const Hull& hull) {
  Triangles triangles;
  for (const std::vector<int>& face : hull.faces) {
    for (std::size_t k = 2; k < face.size(); ++k) triangles.push_back({face[0], face[k - 1], face[k]});
  }
  return triangles;
}

}  // namespace

MassProperties polyhedron_mass(const std::vector<Vec3>& vertices, const Triangles& triangles, double density) {
  const auto [volume, centroid] = volume_and_centroid(vertices, triangles);
  if (!(volume > 0)) throw Error("mass properties", "expected a positive volume, got none");
  const Mat3 moments = second_moments(vertices, triangles, centroid) * (density / 120);
  return {density * volume, centroid, Mat3::diagonal({1, 1, 1}) * trace(moments) - moments};
}

MassProperties polyhedron_mass(const Hull& hull, double density) {
  return polyhedron_mass(hull.vertices, fan_triangles(hull), density);
}

int sign_of_volume(const std::vector<Vec3>& vertices, const Triangles& triangles) {
  const Vec3 origin = middle_of(vertices);
  double sum = 0, magnitude = 0;  // the second: the sum without cancellation
  for (const auto& indices : triangles) {
    const Triangle t(vertices, indices, origin);
    sum += t.six_volumes();
    magnitude += length(t.normal) * length(t.a);
  }
  if (std::abs(sum) <= 1e-13 * magnitude) return 0;
  return sum > 0 ? 1 : -1;
}

}  // namespace rigor
