// A COLLADA file (.dae, 1.4 and 1.5) as elements that refer to each other by ids, and as surfaces. Nothing of the file is trusted.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/xml_file.h"
#include "rigor/math.h"

namespace rigor::models {

/// The triangles of one <geometry>, in its own coordinates.
struct ColladaSurface {
  std::vector<Vec3> vertices;
  std::vector<std::array<int, 3>> triangles;
  std::vector<int> symbol_of;        // by triangle: index in `symbols`
  std::vector<std::string> symbols;  // instances bind a material to each; "" has none
};

/// The text of an element without its comments.
std::string text_within(const Element& e);
/// The numbers of an element; Error with its line unless there are `count`.
std::vector<double> numbers_within(const Element& e, std::size_t count);

class ColladaDocument {
 public:
  /// Error with the line for text that is not COLLADA. `name` is the file in messages.
  ColladaDocument(std::string_view text, const std::string& name);

  Element root() const { return {file_->document.document_element(), file_.get()}; }
  /// The element with this name and id; none if there is no such element.
  Element find(const std::string& name, const std::string& id) const;
  /// The element that the attribute of `from` refers to by "#id"; Error if it is not in this file. An element has one such attribute.
  Element follow(const Element& from, const char* attribute, const char* name) const;
  /// The elements of all libraries of a kind, such as "library_geometries" and "geometry".
  std::vector<Element> in_libraries(const char* library, const char* name) const;
  /// Reads a geometry once. Lines, points and splines have no surface.
  const ColladaSurface& surface(const Element& geometry);

 private:
  void add_primitive(const Element& primitive, const Element& mesh, ColladaSurface& out);
  /// The index in `out` of the first of the positions that the input refers to, and their number.
  std::size_t add_positions(const Element& mesh, const Element& input, ColladaSurface& out, std::size_t& count);
  const std::vector<Vec3>& positions(const Element& source);
  void count_corners(const Element& where, std::size_t corners);

  std::unique_ptr<XmlFile> file_;
  std::map<std::pair<std::string, std::string>, pugi::xml_node> by_id_;  // by name and id; the first of equal ones
  mutable std::map<std::size_t, pugi::xml_node> followed_;  // by referring node; instances repeat references
  std::map<std::size_t, ColladaSurface> surfaces_;          // by node of the geometry
  std::map<std::size_t, std::vector<Vec3>> positions_;      // by node of the source
  std::map<std::size_t, std::vector<double>> numbers_;      // by node of the array, which several sources may share
  std::map<std::size_t, std::size_t> begin_;                // by node of the source: in the current surface
  std::size_t corners_ = 0;                                 // and triangles of all surfaces
};

}  // namespace rigor::models
