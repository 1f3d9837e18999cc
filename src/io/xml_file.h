// XML with line numbers. An Element knows its file, so that MJCF's includes keep theirs.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <pugixml.hpp>

#include "io/file_access.h"
#include "io/mistakes.h"
#include "io/scene_limits.h"
#include "registry/suggest.h"
#include "rigor/error.h"
#include "rigor/math.h"

namespace rigor::models {

/// An Error that ends the reading of a file although the file collects its mistakes.
class GiveUp : public Error {
 public:
  using Error::Error;
};

/// Ends the reading of the whole model because of mistakes that have been collected.
class Stopped : public GiveUp {
 public:
  Stopped() : GiveUp("reading ended because of earlier mistakes") {}
};

/// Ends the reading of an element because of a mistake that has been collected already; it is not a mistake of its own.
class Consequence : public Error {
 public:
  Consequence() : Error("this follows from another mistake") {}
};

/// The mistakes of a model's files. A reader that collects them goes on after each one.
///
/// A mistake often has consequences: a malformed length counts as zero, which is not positive. An attribute that could not be read is
/// therefore marked, and so is the name of an element that was left out; what follows from those is not a mistake of its own.
class XmlMistakes {
 public:
  /// Adds a sentence once, as long as there are not enough of them.
  void add(const std::string& sentence);
  bool is_full() const { return sentences_.size() >= kMostMistakes; }
  const std::vector<std::string>& sentences() const { return sentences_; }
  /// Throws Stopped after a mistake: what has been read is of no use.
  void stop_after_mistakes() const {
    if (!sentences_.empty()) throw Stopped();
  }

  void mark_attribute(std::size_t node, const std::string& attribute) { attributes_[node].insert(attribute); }
  bool is_marked(std::size_t node, const std::string& attribute) const;
  void mark_name(const std::string& name) { names_.insert(name); }
  bool is_marked(const std::string& name) const { return all_names_ || names_.contains(name); }
  /// A file could not be included, and any unknown name may be one of its names: unknown names are no longer reported.
  void mark_all_names() { all_names_ = true; }
  /// True if `reason`, "attribute: what is wrong with it", follows from a marked attribute of the node.
  bool is_consequence(const pugi::xml_node& node, const std::string& reason) const;

 private:
  std::vector<std::string> sentences_;
  std::set<std::string> known_;
  std::map<std::size_t, std::set<std::string>> attributes_;  // by node
  std::set<std::string> names_;
  bool all_names_ = false;
};

struct XmlFile {
  std::string name;  // as messages show it
  std::string path;
  std::string text;
  std::vector<std::size_t> line_begin;
  pugi::xml_document document;
  XmlMistakes* mistakes = nullptr;  // null: the first mistake is thrown

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
  /// Where messages say that it is: "file:line: <name>".
  std::string place() const;
  /// Throws Error with the place and a reason.
  [[noreturn]] void fail(const std::string& reason) const;
  /// Does the same for a reference to `missing`, which may be an element that was left out because of a mistake of its own.
  [[noreturn]] void fail_missing(const std::string& missing, const std::string& reason) const;
  /// The same with similar names among the keys of a map.
  template <class Map>
  [[noreturn]] void fail_missing(const std::string& missing, const std::string& reason, const Map& known) const {
    std::vector<std::string> names;
    for (const auto& item : known) names.push_back(item.first);
    fail_missing(missing, reason + did_you_mean(missing, names));
  }
  /// Runs `read`. A mistake is collected where the file collects them, and thrown elsewhere. Throws GiveUp when there are enough of them.
  template <class Read> void attempt(Read read) const {
    if (!file_->mistakes) return read();
    try {
      read();
    } catch (const GiveUp&) {
      throw;
    } catch (const Consequence&) {
      mark_own_name();
    } catch (const Error& error) {
      collect(error);
    }
  }

  bool has(const char* attribute) const { return static_cast<bool>(node_.attribute(attribute)); }
  /// The text of an attribute, which is empty if there is none.
  std::string text(const char* attribute) const { return node_.attribute(attribute).value(); }
  /// Finds the child element of this name, and refuses a second one.
  Element child(const char* name) const;
  std::vector<Element> children(const char* name = nullptr) const;

  // These functions read numbers. They throw Error if a number is malformed, not finite or beyond 1e12, or if the count differs. A file that collects its
  // mistakes goes on with the usual value, or with zeros.
  double number(const char* attribute, double usual) const;
  /// Reads a whole number within ±10⁹.
  int integer(const char* attribute, int usual) const;
  bool flag(const char* attribute, bool usual) const;
  /// Reads an attribute that must be one of the given words. A file that collects its mistakes goes on with the usual one.
  std::string word(const char* attribute, const std::string& usual, std::initializer_list<const char*> words) const;
  Vec3 vector(const char* attribute, const Vec3& usual) const;
  std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const;
  /// Throws Error, in the words of the attribute, if a value that it gives is outside a range of scene files. `what` is the quantity with its unit.
  void check_range(const char* attribute, double value, const Range& range, const char* what) const;
  /// True if the attribute could not be read, in a file that collects its mistakes.
  bool is_marked(const char* attribute) const;
  /// Marks an attribute that another element gives, such as a default class.
  void mark(const char* attribute) const;

 private:
  void collect(const Error& error) const;
  void mark_own_name() const;
  void mistake_of(const char* attribute, const std::string& reason) const;

  pugi::xml_node node_;
  const XmlFile* file_ = nullptr;
};

/// Parses text. Throws Error with the line if it is not XML, nested too deeply or too large.
std::unique_ptr<XmlFile> parse_xml(std::string text, const std::string& name, const std::string& path,
                                   XmlMistakes* mistakes = nullptr);

/// Replaces a key of scene files at the beginning of a sentence by words of models: what many attributes add up to is out of range.
std::string in_words_of_models(const std::string& sentence);

/// Reads numbers that are separated by white space. Throws Error without a place.
std::vector<double> parse_numbers(std::string_view text, std::size_t least, std::size_t most);

}  // namespace rigor::models
