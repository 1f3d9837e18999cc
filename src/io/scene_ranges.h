// The ranges of scene files for what other readers make.
//
// A model that is read must be one that a scene file can hold, so that whatever `check` accepts can be converted and run. These functions write a part of the
// scene as JSON and read it, so that there is one table of ranges and one set of sentences. Errors have no place: the caller knows file and line.
#pragma once

#include "rigor/scene.h"

namespace rigor {

/// Throws an Error if a number or a shape of the body is outside the ranges of scene files. The other functions do the same for their parts.
void check_body(const World& world, BodyId id);
/// Compares the corners of hulls, meshes and height fields with their range directly, because writing them as JSON would be slow.
void check_shape(const Shape& shape);
void check_joint(const World& world, JointId id);
void check_drive(const World& world, const Drive& drive);

}  // namespace rigor
