// The ranges of scene files for what other readers make.
//
// A model that is read must be one that a scene file can hold, so that whatever `check` accepts can be converted and run. These functions write a part of the
// scene as JSON and read it, so that there is one table of ranges and one set of sentences. The errors have no place, because only the caller knows file and
// line.
#pragma once

#include <unordered_map>

#include "rigor/scene.h"

namespace rigor {

/// Shapes that have been checked. Bodies may share a shape, and a large one takes milliseconds, so that each is checked once.
class CheckedShapes {
 public:
  /// True the first time that it is asked about a shape, which is kept so that its address stays its own.
  bool is_new(const ShapePtr& shape) { return known_.try_emplace(shape.get(), shape).second; }

 private:
  std::unordered_map<const Shape*, ShapePtr> known_;
};

/// Throws an Error if a number or a shape of the body is outside the ranges of scene files. The other functions do the same for their parts.
void check_body(const World& world, BodyId id, CheckedShapes& checked);
/// Compares the corners of hulls, meshes and height fields with their range directly, because writing them as JSON would be slow.
void check_shape(const ShapePtr& shape, CheckedShapes& checked);
/// Checks the place of a part in its body.
void check_transform(const Transform& transform);
void check_material(const Material& material);
void check_joint(const World& world, JointId id);
void check_drive(const World& world, const Drive& drive);

}  // namespace rigor
