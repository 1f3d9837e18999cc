#include "world/body_mass.h"

#include "model/mesh_surface.h"
#include "rigor/error.h"

namespace rigor {

namespace {

bool is_positive(double v) { return std::isfinite(v) && v > 0 && std::isfinite(1 / v); }

/// The mass properties that shape and numbers of a fixed body give; all of them are optional.
MassProperties fixed_body_mass(const BodyDef& def) {
  MassProperties p;
  if (def.shape->has_volume()) p = mass_properties(*def.shape, def.material.density);
  if (def.mass && p.mass > 0) p = with_mass(p, *def.mass);
  if (def.center_of_mass) p.center_of_mass = *def.center_of_mass;
  return p;
}

void check_numbers(const BodyDef& def, const std::string& place) {
  if (def.mass && !is_positive(*def.mass)) throw Error(place + ".mass", "expected a positive number");
  if (def.center_of_mass && !is_finite(*def.center_of_mass))
    throw Error(place + ".center_of_mass", "expected three finite numbers");
}

void check_result(const MassProperties& p, const std::string& place) {
  const Vec3 moments = principal_moments(p);
  if (is_positive(p.mass) && is_positive(moments.x) && is_positive(moments.y) && is_positive(moments.z)) return;
  throw Error(place, "mass or inertia is too small or too large to compute with");
}

}  // namespace

MassProperties body_mass(const BodyDef& def) {
  const std::string place = "body '" + def.name.substr(0, 60) + "'";
  if (!def.shape) throw Error(place, "expected a shape");
  check_numbers(def, place);
  if (def.fixed) return fixed_body_mass(def);

  const bool has_numbers = def.mass && def.inertia;
  const auto for_fixed_only = [](const Shape& s) { return !std::isfinite(s.bounding_radius()) || s.as<HeightField>(); };
  const bool infinite = for_fixed_only(*def.shape);
  if (def.collision_shape && for_fixed_only(*def.collision_shape))
    throw Error(place, "a " + std::string(def.collision_shape->type()) + " is a collision shape for fixed bodies only");
  if (infinite || (!def.shape->has_volume() && !has_numbers)) {
    const std::string reason = why_no_volume(*def.shape);
    throw Error(place, "a " + std::string(def.shape->type()) + " has no volume, so the body must be fixed" +
                           (infinite ? "" : " or be given both a mass and an inertia") +
                           (reason.empty() ? "" : "; " + reason));
  }

  MassProperties p;
  if (def.shape->has_volume()) p = mass_properties(*def.shape, def.material.density);
  if (def.mass) p = p.mass > 0 ? with_mass(p, *def.mass) : MassProperties{*def.mass, {}, {}};
  if (def.inertia) {
    check_inertia(*def.inertia, place + ".inertia");
    p.inertia = *def.inertia;
  }
  if (def.center_of_mass) p.center_of_mass = *def.center_of_mass;
  check_result(p, place);
  return p;
}

Transform principal_frame(const MassProperties& mass) {
  return {mass.center_of_mass, principal_axes(mass.inertia).axes};
}

Vec3 principal_moments(const MassProperties& mass) { return principal_axes(mass.inertia).moments; }

}  // namespace rigor
