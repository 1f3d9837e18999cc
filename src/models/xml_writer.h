// Writes XML with indentation.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/scene_tree.h"

namespace rigor::models {

using XmlAttribute = std::pair<const char*, std::string>;

/// Attributes with an empty value are not written.
class XmlWriter {
 public:
  void open(const char* name, const std::vector<XmlAttribute>& attributes = {}) {
    begin(name, attributes);
    text_ += ">\n";
    open_.push_back(name);
  }
  void element(const char* name, const std::vector<XmlAttribute>& attributes) {
    begin(name, attributes);
    text_ += "/>\n";
  }
  void close() {
    const std::string name = open_.back();
    open_.pop_back();
    text_ += std::string(2 * open_.size(), ' ') + "</" + name + ">\n";
  }
  std::string take() { return std::move(text_); }
  void append(XmlWriter&& other) { text_ += other.take(); }
  bool is_empty() const { return text_.empty(); }

 private:
  void begin(const char* name, const std::vector<XmlAttribute>& attributes) {
    text_ += std::string(2 * open_.size(), ' ') + "<" + name;
    for (const auto& [key, value] : attributes)
      if (!value.empty()) text_ += std::string(" ") + key + "=\"" + xml_text(value) + "\"";
  }
  std::string text_;
  std::vector<std::string> open_;
};

}  // namespace rigor::models
