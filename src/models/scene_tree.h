// A scene as formats with trees of links have it: which body hangs on which, by which joint, and which joints close loops.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "rigor/scene.h"

namespace rigor::models {

struct TreeBody {
  BodyId id;
  int parent = -1;      // index of the body that carries it; −1: the world
  JointId joint;        // that connects the two; null: none, it moves freely or is fixed
  bool turned = false;  // the joint's body a is the child
  std::vector<int> children = {};
};

struct SceneTree {
  std::vector<TreeBody> bodies;  // parents before children; the world body is none of them
  std::vector<JointId> loops;    // joints that are not part of the tree
  std::map<BodyId, int> index;
};

/// Bodies that do not move are roots, as are those that no joint carries. Joints without axes are loops.
SceneTree scene_tree(const World& world);

/// A simple shape of a body, placed in its frame.
struct PlacedShape {
  const Shape* shape;  // no composite, not transformed
  Transform pose;
  const Material* material;
};
std::vector<PlacedShape> simple_parts(const Shape& shape, const Material& material);

/// True if a part that collides has another surface than the body's material. Names do not count.
bool has_unlike_parts(const BodyDef& def);

/// What could not be written, one sentence each.
using LeftOut = std::vector<std::string>;

/// 17 digits, or fewer where they read back to the same bits.
std::string exact(double value);
/// Three numbers with spaces between them.
std::string exact(const Vec3& v);
/// w x y z.
std::string exact(const Quat& q);
/// Text as XML and as part of an attribute.
std::string xml_text(const std::string& text);
/// The colour at the end of a material's name, "steel #b0b5ba"; a light grey where there is none. Components from 0 to 1.
Vec3 color_of(const Material& material);

/// True if one of the joint's bodies is inactive: other formats do not have inactive bodies.
bool joins_inactive_body(const World& world, const JointDef& joint);

/// The axes of a joint that are not locked, in their order.
std::vector<int> free_axes(const AxesJoint& joint);

}  // namespace rigor::models
