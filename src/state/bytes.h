// Numbers as bytes, for snapshots, in the byte order of the machine.
//
// Bytes that this process wrote are trusted. A reader of a file checks everything: numbers are finite and below
// 1e100 (the limit of the validator `finite`), counts fit into the remaining bytes, and the stages check their own invariants.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rigor/error.h"
#include "rigor/ids.h"
#include "rigor/math.h"

namespace rigor {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie in memory");

/// True for numbers that need not be written: +0, but not -0.
inline bool is_zero(double v) { return std::bit_cast<std::uint64_t>(v) == 0; }
inline bool is_zero(const Vec3& v) { return is_zero(v.x) && is_zero(v.y) && is_zero(v.z); }

class ByteWriter {
 public:
  template <class T>
  requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void put(T value) { append(&value, sizeof value); }
  void put(const Vec3& v) { put(v.x), put(v.y), put(v.z); }
  void put(const Quat& q) { put(q.w), put(q.x), put(q.y), put(q.z); }
  void put(const Transform& t) { put(t.translation), put(t.rotation); }
  template <class Tag> void put(const Id<Tag>& id) { put(id.index), put(id.generation); }
  void put(std::string_view text) {
    put_count(text.size());
    append(text.data(), text.size());
  }
  void put(const std::string& text) { put(std::string_view(text)); }
  void put_count(std::size_t count) { put(static_cast<std::uint32_t>(count)); }
  /// Writes the count and the elements.
  template <class T> void put_array(const std::vector<T>& array) {
    static_assert(std::has_unique_object_representations_v<T> || std::is_same_v<T, Vec3> || std::is_same_v<T, Quat>);
    put_count(array.size());
    append(array.data(), array.size() * sizeof(T));
  }
  /// Writes a float: enough for values that are only displayed.
  void put_display(double v) { put(static_cast<float>(std::fmin(std::fmax(v, -3e38), 3e38))); }
  void put_display(const Vec3& v) { put_display(v.x), put_display(v.y), put_display(v.z); }

  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::string take() { return std::move(bytes_); }

 private:
  void append(const void* data, std::size_t size) {
    if (size > 0) bytes_.append(static_cast<const char*>(data), size);
  }
  std::string bytes_;
};
static_assert(sizeof(Vec3) == 24 && sizeof(Quat) == 32, "arrays are copied without gaps");

class ByteReader {
 public:
  ByteReader(std::string_view bytes, bool trusted) : rest_(bytes), trusted_(trusted) {}

  /// Error unless the condition holds.
  static void check(bool condition, const char* what) {
    if (!condition) throw Error("the snapshot is damaged", what);
  }

  /// Checks that are needed for files only.
  void check_file(bool condition, const char* what) const { check(trusted_ || condition, what); }

  template <class T>
  requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) T get() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  bool flag() {
    const auto value = get<std::uint8_t>();
    check(value <= 1, "a flag is neither 0 nor 1");
    return value == 1;
  }
  /// An enumerator up to `last`.
  template <class Enum> Enum choice(Enum last) {
    const auto value = get<std::underlying_type_t<Enum>>();
    check(value >= 0 && value <= static_cast<std::underlying_type_t<Enum>>(last), "a choice is unknown");
    return static_cast<Enum>(value);
  }
  double number() { return checked(get<double>()); }
  Vec3 vector() {
    const double x = number(), y = number(), z = number();
    return {x, y, z};
  }
  Quat unit_quaternion() {
    const double w = number(), x = number(), y = number(), z = number();
    return checked(Quat{w, x, y, z});
  }
  Transform transform() {
    const Vec3 translation = vector();
    return {translation, unit_quaternion()};
  }
  template <class IdType> IdType id() {
    const auto index = get<std::uint32_t>();
    return {index, get<std::uint32_t>()};
  }
  std::string text() {
    const std::size_t size = count(1);
    return {take(size), size};
  }
  double display() { return checked(static_cast<double>(get<float>())); }
  Vec3 display_vector() {
    const double x = display(), y = display(), z = display();
    return {x, y, z};
  }
  /// Reads a count of elements that take at least `smallest` bytes each.
  std::size_t count(std::size_t smallest) {
    const std::size_t n = get<std::uint32_t>();
    check(n <= rest_.size() / smallest, "it ends too early");
    return n;
  }
  template <class T> void array(std::vector<T>& out) {
    out.resize(count(sizeof(T)));
    if (!out.empty()) std::memcpy(static_cast<void*>(out.data()), take(out.size() * sizeof(T)), out.size() * sizeof(T));
    if constexpr (!std::is_integral_v<T>)
      if (!trusted_)
        for (const T& v : out) checked(v);
  }

  double checked(double v) const {
    if (!trusted_) check(std::abs(v) <= kLargest, "a number is not finite or too large");
    return v;
  }
  Vec3 checked(const Vec3& v) const { return checked(v.x), checked(v.y), checked(v.z), v; }
  /// Reads a unit quaternion. Integrators keep its length far closer to 1 than 1e-6.
  Quat checked(const Quat& q) const {
    if (!trusted_) check(std::abs(dot(q, q) - 1) < 1e-6, "an orientation is not of unit length");
    return q;
  }
  Vec3 checked_direction(const Vec3& v) const {
    if (!trusted_) check(std::abs(length_squared(v) - 1) < 1e-6, "a direction is not of unit length");
    return v;
  }

  bool is_at_end() const { return rest_.empty(); }
  void finish() const { check(rest_.empty(), "it goes on after its end"); }

 private:
  static constexpr double kLargest = 1e100;

  const char* take(std::size_t size) {
    check(size <= rest_.size(), "it ends too early");
    const char* data = rest_.data();
    rest_.remove_prefix(size);
    return data;
  }
  std::string_view rest_;
  bool trusted_;
};

}  // namespace rigor
