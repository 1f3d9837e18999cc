// The account of what a reader did with every element and attribute of its files.
//
// Each format has a table: for every element it knows, what becomes of it and of each attribute. What the table does not name
// is ignored and said to be unknown. A reader adds notes of its own where the outcome depends on the rest of the file.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/xml_file.h"
#include "rigor/model.h"

namespace rigor::models {

/// One line of a format's table. `attribute` empty: the element itself.
struct Treatment {
  const char* element;    // "geom", or "parent/geom" where the parent matters; "parent/*": any child
  const char* attribute;  // names separated by spaces; "" for the element
  enum class Kind {
    honoured,
    shown,       // honoured, and has no effect on the motion
    appearance,  // not honoured, and would have no effect on the motion
    replaced,
    ignored,
    unmeasured,  // a sensor that is ignored: it has no effect on the motion
  } kind;
  const char* what;  // what was done instead; "" for what is honoured
};

class Ledger {
 public:
  explicit Ledger(std::span<const Treatment> table);

  /// Overrides the table for one attribute, or with "" for the element itself.
  void note(const Element& element, const std::string& attribute, ModelNote::Kind kind, const std::string& what);
  /// Counts an attribute, or with "" the element itself, as honoured although the table does not: its value asks for nothing, or a reader has used it.
  void honour(const Element& element, const std::string& attribute) {
    honoured_.emplace(element.node().hash_value(), attribute);
  }
  /// The element, its attributes and all below it take part in nothing: one note for all of them.
  void skip(const Element& element, ModelNote::Kind kind, const std::string& what);
  /// Adds a sentence about an element beside those about its attributes.
  /// Elements with a remark other than about their appearance do not count as honoured.
  void remark(const Element& element, ModelNote::Kind kind, const std::string& what);
  /// A sentence about the model as a whole. It is reported once.
  void warn(const std::string& sentence) {
    if (std::find(warnings_.begin(), warnings_.end(), sentence) == warnings_.end()) warnings_.push_back(sentence);
  }

  /// A sentence about what the file has and no scene can hold. It has no effect on a run, and converting the model drops it.
  void lose(const std::string& sentence) { lost_.push_back(sentence); }

  /// Goes through a file; adds to the report.
  void settle(const XmlFile& file, ModelReport& report) const;

 private:
  struct Entry {
    ModelNote::Kind kind;
    std::string what;
    bool whole = false;  // with everything below
  };
  void settle(const Element& element, const Entry* inherited, const std::string& parent, ModelReport& report) const;
  /// "; did you mean …?" with similar names of the table. `attribute` empty: for the name of the element.
  std::string suggestion(const std::string& parent, const std::string& element, const std::string& attribute) const;
  const Treatment* find(const std::string& parent, const std::string& element, const std::string& attribute) const;

  std::map<std::string, Treatment> table_;                      // by "element@attribute" or "parent/element@attribute"
  std::map<std::pair<std::size_t, std::string>, Entry> notes_;  // by node and attribute
  std::set<std::pair<std::size_t, std::string>> honoured_;      // by node and attribute
  std::vector<ModelNote> remarks_;
  std::set<std::size_t> remarked_;  // nodes with a remark other than about their appearance
  std::vector<std::string> warnings_, lost_;
};

}  // namespace rigor::models
