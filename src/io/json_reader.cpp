#include "io/json_reader.h"

#include <charconv>

#include <nlohmann/json.hpp>

#include "rigor/error.h"
#include "rigor/euler.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

/// "a positive number", "three numbers from -1e+12 to 1e+12"; the bounds are left out if the value is not a number.
std::string expectation(const std::string& count, const std::string& noun, const Range& range, bool say_bounds) {
  const std::string sign = range.min > 0 ? "positive " : range.min == 0 ? "non-negative " : "";
  std::string text = count + " " + sign + noun;
  if (say_bounds) text = count + " " + noun + " from " + number_words(range.min) + " to " + number_words(range.max);
  return text;
}

bool in_range(double v, const Range& range) { return v >= range.min && v <= range.max; }

/// True if "positive" or "non-negative" alone does not describe the range.
bool needs_bounds(double v, const Range& range) { return range.min < 0 || v > range.max || (v > 0 && v < range.min); }

std::string count_words(std::size_t n) {
  static constexpr const char* kWords[] = {"no", "one", "two", "three", "four"};
  return n < std::size(kWords) ? kWords[n] : std::to_string(n);
}

std::string describe(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null: return "null";
    case Json::value_t::boolean: return value.get<bool>() ? "true" : "false";
    case Json::value_t::string: return "'" + short_text(value.get_ref<const std::string&>()) + "'";
    case Json::value_t::array: return "a list of " + std::to_string(value.size());
    case Json::value_t::object: return "an object";
    default: return number_words(value.get<double>());
  }
}

}  // namespace

std::string number_words(double value) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}

// ---- place ----------------------------------------------------------------------------------------

namespace {

/// The name of an object in a list, for error messages: " 'door'".
std::string own_name(const Json& item) {
  if (!item.is_object()) return "";
  const auto name = item.find("name");
  if (name == item.end() || !name->is_string()) return "";
  const auto& text = name->get_ref<const std::string&>();
  return text.empty() || text.size() > kMaxNameLength ? "" : " '" + short_text(text) + "'";
}

}  // namespace

std::string JsonReader::path() const {
  if (!parent_) return "";
  const std::string before = parent_->path();
  if (parent_->is_list()) {
    std::size_t index = index_;
    const std::string file = included_from(index);
    return file + before + "[" + std::to_string(index) + own_name(*value_) + "]";
  }
  return before + (before.empty() ? "" : ".") + short_text(key_);
}

std::string JsonReader::included_from(std::size_t& index) const {
  const ReadContext* shared = context();
  if (!shared || shared->included.empty() || parent_->parent_ == nullptr || parent_->parent_->key_ != "world")
    return "";
  std::size_t before = 0;
  for (const ReadContext::Included& part : shared->included) {
    if (part.list != parent_->key_) continue;
    if (index_ >= part.begin && index_ < part.end) {
      index = index_ - part.begin;
      return part.file + ": ";
    }
    before = std::max(before, part.end);
  }
  index = index_ - before;
  return "";
}

void JsonReader::fail(const std::string& reason) const { throw Error(path(), reason); }

void JsonReader::fail_expected(const std::string& what) const {
  fail("expected " + what + ", got " + describe(*value_));
}

// ---- scalars --------------------------------------------------------------------------------------

bool JsonReader::is_null() const { return value_->is_null(); }
bool JsonReader::is_flag() const { return value_->is_boolean(); }
bool JsonReader::is_text() const { return value_->is_string(); }
bool JsonReader::is_list() const { return value_->is_array(); }
bool JsonReader::is_object() const { return value_->is_object(); }

bool JsonReader::flag() const {
  if (!is_flag()) fail_expected("true or false");
  return value_->get<bool>();
}

double JsonReader::number(const Range& range) const {
  if (!value_->is_number()) fail_expected(expectation("a", "number", range, false));
  const double v = value_->get<double>();
  if (!in_range(v, range)) fail_expected(expectation("a", "number", range, needs_bounds(v, range)));
  return v;
}

std::int64_t JsonReader::integer(std::int64_t min, std::int64_t max) const {
  const Range range{static_cast<double>(min), static_cast<double>(max)};
  if (!value_->is_number()) fail_expected("a whole number");
  const double v = value_->get<double>();
  if (v != std::floor(v)) fail_expected("a whole number");
  if (!in_range(v, range)) fail_expected("a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return static_cast<std::int64_t>(v);
}

std::string JsonReader::text(std::size_t longest) const {
  if (!is_text()) fail_expected("a string");
  const std::string& t = value_->get_ref<const std::string&>();
  if (t.size() > longest) fail("expected a string of at most " + std::to_string(longest) + " bytes, got more");
  return t;
}

std::string JsonReader::name() const {
  std::string t = text(kMaxNameLength);
  if (t.empty()) fail_expected("a string that is not empty");
  return t;
}

std::vector<double> JsonReader::numbers(std::size_t count, const Range& range) const {
  const std::string words = count_words(count);
  if (!is_list() || value_->size() != count) fail_expected(expectation(words, "numbers", range, false));
  std::vector<double> values;
  values.reserve(count);
  for (const Json& item : *value_) {
    const double v = item.is_number() ? item.get<double>() : 0;
    if (!item.is_number() || !in_range(v, range)) {
      const bool bounds = item.is_number() && needs_bounds(v, range);
      fail("expected " + expectation(words, "numbers", range, bounds) + ", got " + describe(item));
    }
    values.push_back(v);
  }
  return values;
}

Vec3 JsonReader::vector(const Range& range) const {
  const std::vector<double> v = numbers(3, range);
  return {v[0], v[1], v[2]};
}

Quat JsonReader::orientation() const {
  if (is_object()) return orientation_in_degrees();
  const std::vector<double> v = numbers(4, kQuaternionRange);
  const Quat q{v[0], v[1], v[2], v[3]};
  const double norm = std::sqrt(dot(q, q));
  if (norm < 1e-9) fail("expected four numbers [w, x, y, z] that are not all zero");
  return std::abs(norm - 1) < 1e-15 ? q : q * (1 / norm);
}

Quat JsonReader::orientation_in_degrees() const {
  constexpr double kRadians = kPi / 180;
  if (const auto euler = find("euler_deg")) {
    only({"euler_deg"});
    return quaternion_from_euler(euler->vector(kDegreesRange) * kRadians);
  }
  only({"axis", "angle_deg"});
  const Vec3 axis = at("axis").vector(kQuaternionRange);
  if (length(axis) < 1e-9) at("axis").fail("expected a vector that is not zero");
  return quaternion_from_axis_angle(normalized(axis), at("angle_deg").number(kDegreesRange) * kRadians);
}

Value JsonReader::parameter() const {
  switch (value_->type()) {
    case Json::value_t::boolean: return value_->get<bool>();
    case Json::value_t::string: return text(kMaxNameLength);
    case Json::value_t::array: return vector(kParameterRange);
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned: return integer(-kMaxInteger, kMaxInteger);
    case Json::value_t::number_float: return number(kParameterRange);
    default: fail_expected("a number, a string, true, false or three numbers");
  }
}

// ---- lists and objects ----------------------------------------------------------------------------

std::size_t JsonReader::size() const {
  if (!is_list()) fail_expected("a list");
  return value_->size();
}

JsonReader JsonReader::item(std::size_t index) const& { return {(*value_)[index], *this, {}, index}; }

void JsonReader::only(const std::vector<std::string>& known) const {
  if (!is_object()) fail_expected("an object");
  for (const auto& [name, value] : value_->get_ref<const Json::object_t&>())
    if (std::find(known.begin(), known.end(), name) == known.end())
      attempt([&, &key = name] { fail(unknown_name("key", short_text(key), known)); });
}

void JsonReader::only(std::initializer_list<std::string_view> known) const {
  if (!is_object()) fail_expected("an object");
  for (const auto& [name, value] : value_->get_ref<const Json::object_t&>())
    if (std::find(known.begin(), known.end(), name) == known.end())
      attempt([&, &key = name] { fail(unknown_name("key", short_text(key), {known.begin(), known.end()})); });
}

std::vector<JsonReader> JsonReader::members() const& {
  if (!is_object()) fail_expected("an object");
  std::vector<JsonReader> all;
  for (const auto& [name, value] : value_->get_ref<const Json::object_t&>())
    all.push_back(JsonReader(value, *this, name, 0));
  return all;
}

std::optional<JsonReader> JsonReader::find(std::string_view key) const& {
  if (!is_object()) fail_expected("an object");
  for (const auto& [name, value] : value_->get_ref<const Json::object_t&>())
    if (name == key) return JsonReader(value, *this, name, 0);
  return std::nullopt;
}

JsonReader JsonReader::at(std::string_view key) const& {
  const std::optional<JsonReader> found = find(key);
  if (!found) fail("the key '" + std::string(key) + "' is missing");
  return *found;
}

JsonReader JsonReader::single(const std::string& what) const& {
  if (!is_object() || value_->size() != 1) fail_expected("an object with one key, " + what);
  const auto& [name, value] = value_->get_ref<const Json::object_t&>().front();
  return {value, *this, name, 0};
}

void JsonReader::read(std::string_view key, bool& value) const {
  if (const auto found = find(key)) attempt([&] { value = found->flag(); });
}
void JsonReader::read(std::string_view key, double& value, const Range& range) const {
  if (const auto found = find(key)) attempt([&] { value = found->number(range); });
}
void JsonReader::read(std::string_view key, Vec3& value, const Range& range) const {
  if (const auto found = find(key)) attempt([&] { value = found->vector(range); });
}

}  // namespace rigor
