// Mass, center of mass and inertia: closed forms for the simple shapes, sums by the parallel-axis theorem.
//
// Inertias are about the center of mass. With the offset d and 𝟙 the identity, Huygens–Steiner is
// I_P = I + m (d·d 𝟙 - d dᵀ).
#include "rigor/mass_properties.h"

#include <cmath>
#include <cstddef>

#include "model/checks.h"
#include "model/polyhedron_mass.h"
#include "registry/extension_call.h"
#include "rigor/error.h"
#include "rigor/extend/shape.h"

namespace rigor {

namespace {

/// Inertia of a point of mass m at d.
Mat3 point_inertia(double m, const Vec3& d) { return (Mat3::identity() * length_squared(d) - outer(d, d)) * m; }

MassProperties solid(double mass, const Vec3& moments, const Vec3& center = {}) {
  return {mass, center, Mat3::diagonal(moments)};
}

/// Inertia of a body that is symmetric about the y axis.
MassProperties round_solid(double mass, double across, double axial, const Vec3& center = {}) {
  return solid(mass, {across, axial, across}, center);
}

struct MassOf {
  const Shape& shape;
  double density;

  [[noreturn]] void refuse(const char* why) const {
    throw Error(std::string(shape.type()),
                std::string("expected a shape with a volume for mass properties, got ") + why);
  }

  MassProperties operator()(const Plane&) const { refuse("an infinite one"); }
  MassProperties operator()(const HeightField&) const { refuse("one for fixed bodies only"); }
  MassProperties operator()(const Sphere& s) const {
    const double r = s.radius, m = density * (4.0 / 3) * kPi * r * r * r, i = 0.4 * m * r * r;
    return solid(m, {i, i, i});
  }
  MassProperties operator()(const Box& b) const {
    const Vec3 h = b.half, hh = scale(h, h);
    const double m = density * 8 * h.x * h.y * h.z;
    return solid(m, Vec3{hh.y + hh.z, hh.z + hh.x, hh.x + hh.y} * (m / 3));
  }
  MassProperties operator()(const Cylinder& c) const {
    const double rr = c.radius * c.radius, h = c.half_height;
    const double m = density * kPi * rr * 2 * h;
    return round_solid(m, m * (rr / 4 + h * h / 3), m * rr / 2);
  }
  MassProperties operator()(const Capsule& c) const {
    const double r = c.radius, rr = r * r, h = c.half_length;
    const double m_cylinder = density * kPi * rr * 2 * h;
    const double m_sphere = density * (4.0 / 3) * kPi * rr * r;
    // Each half ball has its center of mass 3r/8 above the flat side: 2/5 r² - (3r/8)² + (h + 3r/8)².
    const double across = m_cylinder * (rr / 4 + h * h / 3) + m_sphere * (0.4 * rr + h * (h + 0.75 * r));
    return round_solid(m_cylinder + m_sphere, across, m_cylinder * rr / 2 + m_sphere * 0.4 * rr);
  }
  MassProperties operator()(const Cone& c) const {
    const double rr = c.radius * c.radius, h = c.half_height;
    const double m = density * kPi * rr * 2 * h / 3;
    return round_solid(m, m * 0.15 * (rr + h * h), m * 0.3 * rr, {0, -0.5 * h, 0});
  }
  MassProperties operator()(const Rectangle& c) const {
    const double m = density * 4 * c.half_x * c.half_z * c.thickness;
    const double about_x = m * c.half_z * c.half_z / 3, about_z = m * c.half_x * c.half_x / 3;
    return solid(m, {about_x, about_x + about_z, about_z});
  }
  MassProperties operator()(const Hull& h) const { return polyhedron_mass(h, density); }
  MassProperties operator()(const Mesh& m) const {
    if (!m.closed) refuse("a surface that is not closed");
    return polyhedron_mass(m.vertices, m.triangles, density);
  }
  MassProperties operator()(const SupportShape& s) const {
    const std::optional<MassProperties> own =
        call_extension(Kind::shape, s.name, [&] { return s.shape->mass(); });  // at a density of 1
    if (!own) return polyhedron_mass(*s.hull->as<Hull>(), density);
    check_inertia(own->inertia, extension_name(Kind::shape, s.name));
    return {own->mass * density, own->center_of_mass, own->inertia * density};
  }
  MassProperties operator()(const Transformed& moved) const {
    return transformed(std::visit(MassOf{*moved.shape, density}, moved.shape->geometry()), moved.transform);
  }
  MassProperties operator()(const Composite& all) const {
    MassProperties sum;
    bool first = true;
    for (const Composite::Part& part : all.parts) {
      const double part_density = part.material ? part.material->density : density;
      const MassProperties one =
          transformed(std::visit(MassOf{*part.shape, part_density}, part.shape->geometry()), part.transform);
      sum = first ? one : sum + one;
      first = false;
    }
    return sum;
  }
};

}  // namespace

MassProperties mass_properties(const Shape& shape, double density) {
  require_positive(density, "density", "a positive number");
  const MassProperties result = std::visit(MassOf{shape, density}, shape.geometry());
  const Mat3& i = result.inertia;
  const bool positive = result.mass > 0 && i(0, 0) > 0 && i(1, 1) > 0 && i(2, 2) > 0;
  if (positive && std::isfinite(result.mass) && is_finite(result.center_of_mass) && is_finite(i)) return result;
  throw Error(std::string(shape.type()),
              "expected a size and density whose mass and inertia are positive numbers, got a mass of " +
                  number_text(result.mass) + " and a moment of inertia of " + number_text(i(0, 0)));
}

MassProperties with_mass(const MassProperties& properties, double mass) {
  require_positive(mass, "mass", "a positive number");
  require_positive(properties.mass, "mass", "a positive one to scale");
  return {mass, properties.center_of_mass, properties.inertia * (mass / properties.mass)};
}

MassProperties transformed(const MassProperties& properties, const Transform& transform) {
  const Mat3 r = rotation_matrix(transform.rotation);
  Mat3 inertia = r * properties.inertia * transpose(r);
  for (int i = 0; i < 3; ++i) {  // rounding leaves a small gap between the two triangles
    const int j = (i + 1) % 3;
    inertia(i, j) = inertia(j, i) = 0.5 * (inertia(i, j) + inertia(j, i));
  }
  return {properties.mass, transform_point(transform, properties.center_of_mass), inertia};
}

MassProperties operator+(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (!(mass > 0)) return {mass, a.center_of_mass, a.inertia + b.inertia};
  // Huygens–Steiner twice, in relative coordinates: no large terms cancel when both are far from the origin.
  const Vec3 d = b.center_of_mass - a.center_of_mass;
  return {mass, a.center_of_mass + d * (b.mass / mass),
          a.inertia + b.inertia + point_inertia(a.mass * (b.mass / mass), d)};
}

Mat3 inertia_about(const MassProperties& properties, const Vec3& point) {
  return properties.inertia + point_inertia(properties.mass, point - properties.center_of_mass);
}

}  // namespace rigor
