// Shapes of models. Rigor's round shapes stand along y, those of URDF and MJCF along z.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/mesh_file.h"
#include "rigor/mass_properties.h"
#include "rigor/shape.h"

namespace rigor::models {

/// Turns y to z.
Quat y_to_z();
ShapePtr along_z(ShapePtr along_y);
/// The same, placed: a pose that turns it back to y is dropped, so that a shape written along y reads back as it was.
void place_along_z(ShapePtr along_y, ShapePtr& shape, Transform& pose);
/// True for no rotation but for rounding.
bool is_identity(const Quat& q);

/// "name #rrggbb": a material of this name is drawn in that colour.
std::string colored_name(const std::string& name, double r, double g, double b);

/// "#rrggbb" of components from 0 to 1.
std::string color_text(const Vec3& rgb);

/// The convex hull of 146 points of an ellipsoid.
ShapePtr ellipsoid_hull(const Vec3& half);

/// The box of uniform density that has this mass and inertia, which is drawn for a link without shapes. Sets `frame` to its place.
ShapePtr inertia_box(const MassProperties& p, Transform& frame);

/// The convex hull of a mesh that is its own hull but for rounding; null for others.
ShapePtr hull_if_convex(const Shape& mesh);

/// The surfaces of each colour of a mesh with "#rrggbb", or "" for no colour; none if the mesh has no colours. `whole` is the shape of all of it.
std::vector<std::pair<ShapePtr, std::string>> colored_surfaces(const MeshData& data, const ShapePtr& whole);

/// Meshes by file and scale, each read once.
class MeshCache {
 public:
  struct Entry {
    ShapePtr drawn, hull;  // null where it has none: `reason` says why
    std::string reason;
    bool is_convex = false;  // the hull is the mesh itself but for rounding
    std::vector<std::pair<ShapePtr, std::string>>
        colored;                     // surfaces with their "#rrggbb", "" for none; empty if the file has no colours
    std::vector<std::string> notes;  // what of the file is not drawn
  };
  /// Error when the file cannot be read. Meshes that are only drawn need no hull.
  const Entry& get(const std::string& reference, const Vec3& scale, const FileAccess& files, bool needs_hull);
  /// Makes an entry without a hull from data in memory. Error if all entries together would be too large.
  Entry make(MeshData data);
  static void add_hull(Entry& entry);

 private:
  std::size_t size_ = 0;  // corners and triangles of all entries
  std::map<std::tuple<std::string, double, double, double>, Entry> entries_;
};

}  // namespace rigor::models
