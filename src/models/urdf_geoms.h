// The <visual>, <collision>, <contact> and <material> elements of URDF.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/ledger.h"
#include "models/robot.h"
#include "models/shapes.h"
#include "models/urdf_gazebo.h"

namespace rigor::models {

/// The pose that the child <origin> gives.
Transform read_origin(const Element& parent);

struct UrdfMaterial {
  std::string name = Material{}.name;
  int texture = -1;  // index in Robot::textures
};

class UrdfGeoms {
 public:
  /// Textures are put into `robot`.
  UrdfGeoms(const FileAccess& files, const UrdfExtensions& extensions, Robot& robot, Ledger& ledger)
      : files_(files), extensions_(extensions), robot_(robot), ledger_(ledger) {}

  /// A material with a colour or a texture is a definition; one with neither refers to another.
  UrdfMaterial read_material(const Element& e);
  /// Adds the geoms of the element <link>.
  void read(const Element& e, Link& link);

 private:
  int read_texture(const Element& e, const Vec3& tint);
  void read_geom(const Element& holder, bool collision, const Material& surface, Link& link);
  bool read_shape(const Element& holder, bool collision, Geom& geom);
  bool read_mesh(const Element& e, bool collision, Geom& geom);

  const FileAccess& files_;
  const UrdfExtensions& extensions_;
  Robot& robot_;
  Ledger& ledger_;
  MeshCache meshes_;
  const std::vector<std::pair<ShapePtr, std::string>>* colored_ = nullptr;  // surfaces of the mesh that was read last
  std::map<std::string, UrdfMaterial> materials_;
  std::map<std::pair<std::string, std::string>, int> painted_;  // by picture and tint: the index in Robot::textures
};

}  // namespace rigor::models
