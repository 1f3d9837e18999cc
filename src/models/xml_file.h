// XML with line numbers. An Element knows its file, so that MJCF's includes keep theirs.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "io/file_access.h"
#include "rigor/math.h"

namespace rigor::models {

struct XmlFile {
  std::string name;  // as messages show it
  std::string path;
  std::string text;
  std::vector<std::size_t> line_begin;
  pugi::xml_document document;

  int line_at(std::ptrdiff_t offset) const;
};

class Element {
 public:
  Element() = default;
  Element(pugi::xml_node node, const XmlFile* file) : node_(node), file_(file) {}

  explicit operator bool() const { return static_cast<bool>(node_); }
  std::string name() const { return node_.name(); }
  pugi::xml_node node() const { return node_; }
  const XmlFile* file() const { return file_; }
  int line() const { return file_->line_at(node_.offset_debug()); }
  /// Throws Error "file:line: <name>: reason".
  [[noreturn]] void fail(const std::string& reason) const;

  bool has(const char* attribute) const { return static_cast<bool>(node_.attribute(attribute)); }
  /// Text of an attribute; empty when it is not there.
  std::string text(const char* attribute) const { return node_.attribute(attribute).value(); }
  /// The only child element of this name; refuses a second one.
  Element child(const char* name) const;
  std::vector<Element> children(const char* name = nullptr) const;

  // Numbers: Error when they are malformed, not finite, beyond 1e12 or of another count.
  double number(const char* attribute, double usual) const;
  bool flag(const char* attribute, bool usual) const;
  Vec3 vector(const char* attribute, const Vec3& usual) const;
  std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const;

 private:
  pugi::xml_node node_;
  const XmlFile* file_ = nullptr;
};

/// Parses text; Error with the line where it is no XML, nested too deeply or too large.
std::unique_ptr<XmlFile> parse_xml(std::string text, const std::string& name, const std::string& path);

/// Separated by white space. Error without a place.
std::vector<double> parse_numbers(std::string_view text, std::size_t least, std::size_t most);

}  // namespace rigor::models
