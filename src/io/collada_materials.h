// Diffuse colours of COLLADA materials: instance → material → effect with the common profile (phong, lambert, blinn, constant).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/collada_document.h"

namespace rigor::models {

class ColladaMaterials {
 public:
  explicit ColladaMaterials(const ColladaDocument& document) : document_(document) {}

  /// The targets of the symbols that an instance of a geometry binds.
  std::map<std::string, std::string> bound(const Element& instance) const;
  /// The colour of a material, sRGB from 0 to 1; none if the file gives none or a picture. Each material is read once.
  std::optional<Vec3> color(const std::string& id);
  /// Sentences about what is not drawn.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::optional<Vec3> read_color(const Element& material);
  std::string picture_of(const Element& texture, const Element& profile) const;
  void note(const Element& where, const std::string& what);

  const ColladaDocument& document_;
  std::map<std::string, std::optional<Vec3>> colors_;  // by id of the material
  std::vector<std::string> notes_;
};

}  // namespace rigor::models
