#include "cli/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "io/json_text.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

constexpr double kMostSteps = 1e9;

template <class T> std::optional<T> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

}  // namespace

double number_in(const std::string& option, const std::string& text, double min, double max) {
  const std::size_t slash = text.find('/');
  std::optional<double> value = number<double>(std::string_view(text).substr(0, slash));
  if (value && slash != std::string::npos) {
    const std::optional<double> divisor = number<double>(std::string_view(text).substr(slash + 1));
    value = divisor ? std::optional(*value / *divisor) : std::nullopt;
  }
  if (value && *value >= min && *value <= max) return *value;
  throw Error(option, fmt::format("expected a number from {} to {}, got '{}'", min, max, short_text(text)));
}

std::uint64_t count(const std::string& option, const std::string& text, std::uint64_t most) {
  const std::optional<std::uint64_t> value = number<std::uint64_t>(text);
  if (value && *value >= 1 && *value <= most) return *value;
  throw Error(option, fmt::format("expected a whole number from 1 to {}, got '{}'", most, short_text(text)));
}

Value parse_value(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (const auto whole = number<std::int64_t>(text)) return *whole;
  if (const auto real = number<double>(text)) return *real;
  return text;
}

std::uint64_t steps_for(double seconds, double dt) {
  const double exact = seconds / dt;
  if (!(exact <= kMostSteps))
    throw Error(fmt::format("{} s in steps of {} s are more than a billion steps", seconds, dt));
  const double nearest = std::round(exact);
  const double steps = std::abs(exact - nearest) <= 1e-9 * std::max(1.0, exact) ? nearest : std::ceil(exact);
  return static_cast<std::uint64_t>(std::max(1.0, steps));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<double> numbers_in(const std::string& option, const std::string& text, double min, double max,
                               std::size_t most) {
  std::vector<double> numbers;
  for (const std::string& part : split(text, ',')) numbers.push_back(number_in(option, part, min, max));
  if (numbers.size() > most) throw Error(option, fmt::format("at most {} are possible, got {}", most, numbers.size()));
  return numbers;
}

std::string hex(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

std::string counted(std::uint64_t n, const std::string& one, const std::string& many) {
  return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string duration_text(double milliseconds) {
  if (milliseconds < 1e-3) return fmt::format("{:.0f} ns", milliseconds * 1e6);
  if (milliseconds < 1) return fmt::format("{:.3g} µs", milliseconds * 1e3);
  if (milliseconds < 1e3) return fmt::format("{:.3g} ms", milliseconds);
  return fmt::format("{:.1f} s", milliseconds / 1e3);
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return counted(bytes, "byte", "bytes");
  if (bytes < 1000000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace rigor::cli
