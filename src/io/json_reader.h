// Typed access to a JSON tree that knows where it is: every mistake is an Error with the path, what is expected there and
// what was given ("world.bodies[3].shape.box: expected three positive numbers, got -1").
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/json_text.h"
#include "io/scene_limits.h"
#include "rigor/error.h"
#include "rigor/fields.h"
#include "rigor/math.h"

namespace rigor {

namespace models {
struct FileAccess;
}

/// What the readers of one document share.
struct ReadContext {
  const models::FileAccess* files = nullptr;  // that the text may refer to; null: none
  /// Where mistakes are collected, so that a reader goes on after one; null: the first one is thrown.
  std::vector<std::string>* mistakes = nullptr;
  /// Items of a list of "world" that stand in another file.
  struct Included {
    std::string list;        // "bodies"
    std::size_t begin, end;  // in the list of the whole document
    std::string file;
  };
  std::vector<Included> included = {};
};

/// A value of the tree. It refers to the reader that it came from, which must outlive it; hence only named readers have
/// children. Paths are built only for error messages.
class JsonReader {
 public:
  explicit JsonReader(const Json& root, const ReadContext* context = nullptr) : value_(&root), context_(context) {}

  std::string path() const;
  [[noreturn]] void fail(const std::string& reason) const;
  /// Throws "expected <what>, got <this value>".
  [[noreturn]] void fail_expected(const std::string& what) const;

  /// The files that the text may refer to; null: none.
  const models::FileAccess* files() const { return context() ? context()->files : nullptr; }
  /// Null for a document by itself.
  const ReadContext* context() const { return parent_ ? parent_->context() : context_; }
  /// Runs `read`. A mistake is collected where the document collects them, and thrown elsewhere. False after a mistake.
  template <class Read> bool attempt(Read read) const {
    std::vector<std::string>* mistakes = context() ? context()->mistakes : nullptr;
    if (!mistakes) return read(), true;
    try {
      read();
      return true;
    } catch (const Error& error) {
      if (mistakes->size() < kMostMistakes && *error.what() != '\0') mistakes->push_back(error.what());
      return false;
    }
  }
  static constexpr std::size_t kMostMistakes = 100;
  /// Ends the reading of an object whose mistakes have been collected: an Error without text, which attempt() does not collect.
  [[noreturn]] void give_up() const { throw Error(""); }

  bool is_null() const;
  bool is_flag() const;
  bool is_text() const;
  bool is_list() const;
  bool is_object() const;

  bool flag() const;
  double number(const Range& range) const;
  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  std::string text(std::size_t longest) const;
  /// A string of 1 to kMaxNameLength bytes.
  std::string name() const;
  /// Exactly `count` numbers.
  std::vector<double> numbers(std::size_t count, const Range& range) const;
  Vec3 vector(const Range& range) const;
  /// Four numbers, not all zero. A unit quaternion keeps its bits, others are normalised.
  /// Four numbers, or degrees: {"axis": [x, y, z], "angle_deg": a} or {"euler_deg": [x, y, z]}.
  Quat orientation() const;
  /// A parameter of a method or force: flag, number, string or three numbers.
  Value parameter() const;

  /// For a list.
  std::size_t size() const;
  JsonReader item(std::size_t index) const&;
  JsonReader item(std::size_t index) const&& = delete;

  /// For an object. `only` refuses all other keys, with a suggestion.
  void only(std::initializer_list<std::string_view> keys) const;
  void only(const std::vector<std::string>& keys) const;
  std::vector<JsonReader> members() const&;
  std::vector<JsonReader> members() const&& = delete;
  std::optional<JsonReader> find(std::string_view key) const&;
  std::optional<JsonReader> find(std::string_view key) const&& = delete;
  JsonReader at(std::string_view key) const&;  // required
  JsonReader at(std::string_view key) const&& = delete;
  /// The member of an object that has exactly one; `what` describes it in the message.
  JsonReader single(const std::string& what) const&;
  JsonReader single(const std::string& what) const&& = delete;
  /// The key that led here.
  std::string_view key() const { return key_; }

  // Optional members: the value is unchanged if the key is missing.
  void read(std::string_view key, bool& value) const;
  void read(std::string_view key, double& value, const Range& range) const;
  void read(std::string_view key, Vec3& value, const Range& range) const;

 private:
  Quat orientation_in_degrees() const;
  /// For an item of a list: its file, followed by a colon, and its index there. Empty if it is in this file.
  std::string included_from(std::size_t& index) const;

  JsonReader(const Json& value, const JsonReader& parent, std::string_view key, std::size_t index)
      : value_(&value), parent_(&parent), key_(key), index_(index) {}

  const Json* value_;
  const JsonReader* parent_ = nullptr;
  const ReadContext* context_ = nullptr;  // of the root
  std::string_view key_;                  // in an object
  std::size_t index_ = 0;                 // in a list
};

/// Reads the parts of an object one by one, so that a document that collects mistakes collects those of all parts.
class PartReader {
 public:
  explicit PartReader(const JsonReader& object) : object_(object) {}
  template <class Read> bool read(Read read) {
    const bool right = object_.attempt(read);
    all_right_ = all_right_ && right;
    return right;
  }
  bool all_right() const { return all_right_; }
  /// Gives up if a part had a mistake. Call it before the parts are put together.
  void finish() const {
    if (!all_right_) object_.give_up();
  }

 private:
  const JsonReader& object_;
  bool all_right_ = true;
};

/// "1, 2.5e-07": the shortest text that reads back the same.
std::string number_words(double value);

}  // namespace rigor
