// Builds the tree from the parser's events, so that exceeded limits and duplicate keys are refused at once.
#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "io/json_text.h"
#include "rigor/error.h"

namespace rigor {

namespace {

/// Extracts the reason from nlohmann's "[json.exception.…] … - REASON; expected …".
std::string reason_of(const std::string& what) {
  const std::size_t dash = what.find(" - ");
  if (dash == std::string::npos) return "this is not JSON";
  std::string reason = what.substr(dash + 3);
  for (const char* end : {"; last read", "; expected"}) reason = reason.substr(0, reason.find(end));
  return reason;
}

class TreeBuilder final : public nlohmann::json_sax<Json> {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool v) override { return add(v); }
  bool number_integer(number_integer_t v) override { return add(v); }
  bool number_unsigned(number_unsigned_t v) override { return add(v); }
  bool number_float(number_float_t v, const string_t&) override { return add(v); }
  bool string(string_t& v) override { return add(std::move(v)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool end_object() override {
    refuse_doubled_keys();
    return close();
  }
  bool key(string_t& name) override {
    count();
    // Appends directly: the map's own insertion searches all keys every time.
    auto& members = open_.back()->get_ref<Json::object_t&>();
    using Members = std::vector<std::pair<const std::string, Json>>;
    static_cast<Members&>(members).emplace_back(std::move(name), nullptr);
    member_ = &members.back().second;
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception& exception) override {
    const std::string_view before = text_.substr(0, position == 0 ? 0 : position - 1);
    const std::size_t line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    const bool overflow = dynamic_cast<const Json::out_of_range*>(&exception) != nullptr;
    const std::string reason = overflow ? "the number is too large" : reason_of(exception.what());
    throw Error("line " + std::to_string(line) + ", column " + std::to_string(column),
                short_text(reason) + near(position, column));
  }

 private:
  /// The last characters of the line that were read.
  std::string near(std::size_t position, std::size_t column) const {
    if (position > text_.size()) return "";
    const std::size_t length = std::min<std::size_t>({column, position, 20});
    return ", near '" + short_text(text_.substr(position - length, length)) + "'";
  }

  template <class T> bool add(T&& value) {
    place(std::forward<T>(value));
    return true;
  }

  bool open(Json container) {
    if (open_.size() >= kMaxJsonDepth)
      throw Error("more than " + std::to_string(kMaxJsonDepth) + " lists and objects are nested in each other");
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  template <class T> Json* place(T&& value) {
    count();
    if (open_.empty()) return &(root_ = std::forward<T>(value));
    if (open_.back()->is_array()) {
      auto& items = open_.back()->get_ref<Json::array_t&>();
      return &items.emplace_back(std::forward<T>(value));
    }
    return &(*member_ = std::forward<T>(value));
  }

  void count() {
    if (++count_ > kMaxJsonValues)
      throw Error("more than " + std::to_string(kMaxJsonValues) + " values; use generators for large scenes");
  }

  void refuse_doubled_keys() const {
    std::vector<std::string_view> keys;
    for (const auto& [name, value] : open_.back()->get_ref<const Json::object_t&>()) keys.push_back(name);
    std::sort(keys.begin(), keys.end());
    const auto doubled = std::adjacent_find(keys.begin(), keys.end());
    if (doubled != keys.end()) throw Error(path(), "the key '" + short_text(*doubled) + "' is given twice");
  }

  /// The innermost open container. Each is the last child of the one around it.
  std::string path() const {
    std::string text;
    for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
      if (open_[i]->is_array())
        text += "[" + std::to_string(open_[i]->size() - 1) + "]";
      else
        text += (text.empty() ? "" : ".") + short_text(open_[i]->get_ref<const Json::object_t&>().back().first);
    }
    return text;
  }

  std::string_view text_;
  Json root_;
  std::vector<Json*> open_;  // outermost first
  Json* member_ = nullptr;   // where the value of the last key goes
  std::size_t count_ = 0;
};

}  // namespace

static Json parse(std::string_view text, bool comments) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw Error("the text is empty; expected a JSON object");
  TreeBuilder builder(text);
  Json::sax_parse(text.begin(), text.end(), &builder, nlohmann::detail::input_format_t::json, true, comments);
  return builder.take();
}

Json parse_json(std::string_view text) { return parse(text, false); }

Json parse_json_with_comments(std::string_view text) { return parse(text, true); }

}  // namespace rigor
