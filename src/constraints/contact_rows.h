// A contact point as rows: one along the normal, two of friction, and rolling and spinning friction if the materials have it.
#pragma once

#include "constraints/write_rows.h"

namespace rigor {

/// Row keys of a contact point. The first three are also offsets in its block; the others are not, because rows before them may be missing.
enum ContactRowKey : std::uint8_t { kKeyNormal, kKeyTangent, kKeyTangent2, kKeyRolling, kKeyRolling2, kKeySpinning };

/// The speed of approach at the surface of a body that approaches with `seen` at the height `gap` above it; see contact_rows.cpp.
double speed_at_surface(double seen, double acceleration, double gap);
/// The speed of separation at the height `gap` after an impact with s at the surface, by Newton's law.
double speed_of_rebound(double restitution, double s, double acceleration, double gap);

void write_contact_point(const StepContact& contact, std::uint32_t point, const BodyState& state,
                         const StepBodies& bodies, const RowSettings& settings, RowBlock block, Rows& rows);
void rewrite_contact_point(const ConstraintList& list, const BodyState& state, const RowBlock& block, Rows& rows);
/// The multipliers of the last step, N s, by row.
void load_contact_impulses(const ContactPoint& point, const RowBlock& block, Rows& rows);
void store_contact_impulses(const Rows& rows, const RowBlock& block, ContactPoint& point);

/// Turns the tangent of contacts that slide faster than `stick_speed` (m/s), or would after `h` seconds of the forces in the
/// arrays, into the direction of that slip, cached impulses along with it: solvers whose friction is a box or a pyramid are
/// then exact for straight sliding. If nothing slides but bodies roll with friction, the tangent is their axis.
void align_tangents(const ConstraintList& list, const BodyState& state, double stick_speed, double h);

}  // namespace rigor
