// Geometries of COLLADA (specification 1.4.1, chapter 5): <triangles>, <polylist>, <polygons>, <tristrips>, <trifans> over one list of positions.
//
// The numbers of a <p> interleave the indices of all inputs: corner k has its position at k · stride + offset of the input VERTEX. Polygons are cut
// into fans. Positions are read through the <accessor> of their <source>.
#include "io/collada_document.h"

#include <algorithm>
#include <charconv>

#include "io/json_text.h"
#include "io/mesh_file.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

constexpr int kMaxOffset = 1000;  // of an input

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Whole numbers from 0 on, separated by white space.
std::vector<std::uint32_t> indices_within(const Element& e, std::size_t most) {
  const std::string text = text_within(e);
  std::vector<std::uint32_t> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) return values;
    std::uint32_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (next != end && !is_space(*next)))
      e.fail("expected whole numbers from 0 on, got '" +
             short_text(std::string_view(at, static_cast<std::size_t>(end - at))) + "'");
    if (values.size() == most) e.fail("it has more numbers than can be read");
    values.push_back(value);
    at = next;
  }
}

std::size_t whole(const Element& e, const char* attribute, int usual, int most) {
  const int value = e.integer(attribute, usual);
  if (value < 0 || value > most)
    e.fail(std::string(attribute) + ": expected a whole number from 0 to " + std::to_string(most) + ", got '" +
           short_text(e.text(attribute)) + "'");
  return static_cast<std::size_t>(value);
}

/// The inputs of a primitive: which of the interleaved indices is that of the position.
struct Inputs {
  Element vertex;
  std::size_t offset = 0, stride = 1;
};

Inputs inputs_of(const Element& primitive) {
  Inputs inputs;
  for (const Element& input : primitive.children("input")) {
    const std::size_t offset = whole(input, "offset", 0, kMaxOffset);
    inputs.stride = std::max(inputs.stride, offset + 1);
    if (input.text("semantic") != "VERTEX") continue;
    inputs.vertex = input;
    inputs.offset = offset;
  }
  return inputs;
}

/// Cuts the corners of a <p> into triangles.
class Cutter {
 public:
  Cutter(const Inputs& inputs, std::size_t base, std::size_t corners, ColladaSurface& out)
      : inputs_(inputs), base_(base), corners_(corners), out_(out) {}

  /// Reads the indices of a <p>, and returns how many corners it has.
  std::size_t open(const Element& p) {
    p_ = p;
    indices_ = indices_within(p, kMaxMeshCorners * std::min<std::size_t>(inputs_.stride, 8));
    if (indices_.size() % inputs_.stride != 0)
      p.fail("it has " + std::to_string(indices_.size()) + " numbers, which is no multiple of the " +
             std::to_string(inputs_.stride) + " that each corner has");
    return indices_.size() / inputs_.stride;
  }
  void triangle(std::size_t a, std::size_t b, std::size_t c) {
    out_.triangles.push_back({corner(a), corner(b), corner(c)});
    if (out_.triangles.size() > kMaxMeshCorners) p_.fail("the mesh has more triangles than can be read");
  }
  void fan(std::size_t first, std::size_t count) {
    for (std::size_t k = 2; k < count; ++k) triangle(first, first + k - 1, first + k);
  }
  void strip(std::size_t count) {
    for (std::size_t k = 2; k < count; ++k)
      if (k % 2 == 0)
        triangle(k - 2, k - 1, k);
      else
        triangle(k - 1, k - 2, k);
  }

 private:
  int corner(std::size_t k) const {
    const std::uint32_t index = indices_[k * inputs_.stride + inputs_.offset];
    if (index >= corners_)
      p_.fail("there is no corner " + std::to_string(index) + "; the mesh has " + std::to_string(corners_) +
              ", counted from 0");
    return static_cast<int>(base_ + index);
  }

  const Inputs& inputs_;
  std::size_t base_, corners_;
  ColladaSurface& out_;
  Element p_;
  std::vector<std::uint32_t> indices_;
};

void refuse_holes(const Element& primitive) {
  if (const std::vector<Element> holes = primitive.children("ph"); !holes.empty())
    holes.front().fail("polygons with holes are not read; export the mesh as triangles");
}

/// Error if the announced number of polygons differs.
void check_count(const Element& primitive, std::size_t found) {
  if (primitive.has("count") && whole(primitive, "count", 0, 1'000'000'000) != found)
    primitive.fail("count: " + short_text(primitive.text("count")) + " are announced, " + std::to_string(found) +
                   " are there");
}

void cut_polylist(const Element& primitive, Cutter& cutter) {
  std::vector<std::uint32_t> counts;
  if (const Element list = primitive.child("vcount")) counts = indices_within(list, kMaxMeshCorners);
  check_count(primitive, counts.size());
  const std::size_t corners = cutter.open(primitive.child("p"));
  std::size_t sum = 0;
  for (const std::uint32_t n : counts) sum += n;
  if (sum != corners)
    primitive.fail("the numbers of <vcount> add up to " + std::to_string(sum) + " corners, <p> has " +
                   std::to_string(corners));
  std::size_t first = 0;
  for (const std::uint32_t n : counts) {
    cutter.fan(first, n);
    first += n;
  }
}

void cut(const Element& primitive, Cutter& cutter) {
  const std::string kind = primitive.name();
  if (kind == "polylist") return cut_polylist(primitive, cutter);
  refuse_holes(primitive);
  std::size_t polygons = 0;
  for (const Element& p : primitive.children("p")) {
    const std::size_t corners = cutter.open(p);
    if (kind == "triangles") {
      if (corners % 3 != 0)
        p.fail("triangles have three corners each, but there are " + std::to_string(corners) + " corners");
      for (std::size_t i = 0; i + 2 < corners; i += 3) cutter.fan(i, 3);
      polygons += corners / 3;
    } else {
      ++polygons;
      if (kind == "tristrips")
        cutter.strip(corners);
      else
        cutter.fan(0, corners);
    }
  }
  check_count(primitive, polygons);
}

}  // namespace

std::string text_within(const Element& e) {
  std::string text;
  for (const pugi::xml_node part : e.node().children())
    if (part.type() == pugi::node_pcdata || part.type() == pugi::node_cdata) text += part.value();
  return text;
}

std::vector<double> numbers_within(const Element& e, std::size_t count) {
  try {
    return parse_numbers(text_within(e), count, count);
  } catch (const Error& error) {
    e.fail(error.what());
  }
}

ColladaDocument::ColladaDocument(std::string_view text, const std::string& name)
    : file_(parse_xml(std::string(text), name, name)) {
  if (!root()) throw Error(name, "the file has no element");
  if (root().name() != "COLLADA") root().fail("expected <COLLADA> at the top");
  struct Walker : pugi::xml_tree_walker {
    std::map<std::pair<std::string, std::string>, pugi::xml_node>* ids;
    bool for_each(pugi::xml_node& node) override {
      if (const pugi::xml_attribute id = node.attribute("id")) ids->emplace(std::pair(node.name(), id.value()), node);
      return true;
    }
  } walker;
  walker.ids = &by_id_;
  file_->document.traverse(walker);
}

Element ColladaDocument::find(const std::string& name, const std::string& id) const {
  const auto found = by_id_.find({name, id});
  return found == by_id_.end() ? Element() : Element(found->second, file_.get());
}

Element ColladaDocument::follow(const Element& from, const char* attribute, const char* name) const {
  const auto known = followed_.find(from.node().hash_value());
  if (known != followed_.end()) return {known->second, file_.get()};
  const std::string reference = from.text(attribute);
  if (!reference.starts_with('#'))
    from.fail(std::string(attribute) + ": expected '#' and the id of an element of this file, got '" +
              short_text(reference) + "'");
  const Element found = find(name, reference.substr(1));
  if (!found)
    from.fail(std::string(attribute) + ": there is no <" + name + "> with the id '" + short_text(reference.substr(1)) +
              "'");
  followed_.emplace(from.node().hash_value(), found.node());
  return found;
}

std::vector<Element> ColladaDocument::in_libraries(const char* library, const char* name) const {
  std::vector<Element> all;
  for (const Element& holder : root().children(library))
    for (const Element& e : holder.children(name)) all.push_back(e);
  return all;
}

void ColladaDocument::count_corners(const Element& where, std::size_t corners) {
  corners_ += corners;
  if (corners_ > kMaxMeshCorners) where.fail("the mesh has more corners than can be read");
}

const ColladaSurface& ColladaDocument::surface(const Element& geometry) {
  const auto [entry, is_new] = surfaces_.try_emplace(geometry.node().hash_value());
  if (!is_new) return entry->second;
  begin_.clear();
  for (const char* kind : {"mesh", "convex_mesh"})
    for (const Element& mesh : geometry.children(kind)) {
      if (mesh.has("convex_hull_of")) mesh.fail("convex_hull_of: hulls of other geometries are not read");
      for (const Element& e : mesh.children())
        for (const char* primitive : {"triangles", "polylist", "polygons", "tristrips", "trifans"})
          if (e.name() == primitive) add_primitive(e, mesh, entry->second);
    }
  return entry->second;
}

void ColladaDocument::add_primitive(const Element& primitive, const Element& mesh, ColladaSurface& out) {
  if (primitive.children("p").empty() && primitive.children("ph").empty()) return;  // exporters write empty ones
  const Inputs inputs = inputs_of(primitive);
  if (!inputs.vertex) primitive.fail("an <input> with the semantic VERTEX is missing");
  std::size_t corners = 0;
  const std::size_t base = add_positions(mesh, inputs.vertex, out, corners);
  const std::size_t triangles = out.triangles.size();
  Cutter cutter(inputs, base, corners, out);
  cut(primitive, cutter);
  if (out.triangles.size() == triangles) return;
  count_corners(primitive, out.triangles.size() - triangles);
  out.symbols.push_back(primitive.text("material"));
  out.symbol_of.resize(out.triangles.size(), static_cast<int>(out.symbols.size()) - 1);
}

std::size_t ColladaDocument::add_positions(const Element& mesh, const Element& input, ColladaSurface& out,
                                           std::size_t& count) {
  const Element vertices = follow(input, "source", "vertices");
  for (const Element& e : vertices.children("input")) {
    if (e.text("semantic") != "POSITION") continue;
    const Element source = follow(e, "source", "source");
    const std::vector<Vec3>& points = positions(source);
    count = points.size();
    const auto [begin, is_new] = begin_.emplace(source.node().hash_value(), out.vertices.size());
    if (is_new) {
      count_corners(mesh, count);
      out.vertices.insert(out.vertices.end(), points.begin(), points.end());
    }
    return begin->second;
  }
  vertices.fail("an <input> with the semantic POSITION is missing");
}

const std::vector<Vec3>& ColladaDocument::positions(const Element& source) {
  const auto [entry, is_new] = positions_.try_emplace(source.node().hash_value());
  if (!is_new) return entry->second;
  const Element technique = source.child("technique_common");
  const Element accessor = technique ? technique.child("accessor") : Element();
  if (!accessor) source.fail("its <accessor> is missing");
  const Element array = follow(accessor, "source", "float_array");
  const auto [parsed, is_first] = numbers_.try_emplace(array.node().hash_value());
  std::vector<double>& numbers = parsed->second;
  try {
    if (is_first) numbers = parse_numbers(text_within(array), 0, 3 * kMaxMeshCorners);
  } catch (const Error& error) {
    array.fail(error.what());
  }
  constexpr int kMost = 1'000'000'000;
  if (array.has("count") && whole(array, "count", 0, kMost) > numbers.size())
    array.fail("count: " + short_text(array.text("count")) + " numbers are announced, " +
               std::to_string(numbers.size()) + " are there");
  std::array<std::size_t, 3> place{0, 1, 2};  // of x, y and z within a corner
  std::size_t param = 0;
  for (const Element& e : accessor.children("param")) {
    const std::string name = e.text("name");
    for (std::size_t k = 0; k < 3; ++k)
      if (name == std::string(1, "XYZ"[k])) place[k] = param;
    ++param;
  }
  const std::size_t count = whole(accessor, "count", 0, kMost), stride = whole(accessor, "stride", 1, kMaxOffset),
                    offset = whole(accessor, "offset", 0, kMost);
  if (*std::max_element(place.begin(), place.end()) >= stride)
    accessor.fail("stride: positions have at least three numbers, got '" + short_text(accessor.text("stride")) + "'");
  if (count > 0 && offset + count * stride > numbers.size())
    accessor.fail("count: " + std::to_string(count) + " corners of " + std::to_string(stride) +
                  " numbers are announced, but the array has " + std::to_string(numbers.size()) + " numbers");
  entry->second.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < 3; ++k) entry->second[i][static_cast<int>(k)] = numbers[offset + i * stride + place[k]];
  return entry->second;
}

}  // namespace rigor::models
