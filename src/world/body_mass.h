// Mass properties from the description of a body.
#pragma once

#include "rigor/body.h"
#include "rigor/mass_properties.h"

namespace rigor {

/// Mass, center and inertia of a body: explicit numbers where given, its shape and density elsewhere. Error, with the reason,
/// for a dynamic body without a valid mass.
MassProperties body_mass(const BodyDef& def);
/// The frame of the body's state: origin in the center of mass, axes along the principal axes.
Transform principal_frame(const MassProperties& mass);
Vec3 principal_moments(const MassProperties& mass);

}  // namespace rigor
