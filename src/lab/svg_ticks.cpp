// Where an axis has its ticks, and how they are written.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/svg_plot.h"

namespace rigor {

namespace {

std::string superscript(int exponent) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) text += kDigits[digit - '0'];
  return text;
}

/// A true minus sign is as wide as a digit.
std::string with_minus(std::string text) {
  if (text.starts_with('-')) text.replace(0, 1, "−");
  return text;
}

/// Digits after the point that `step` needs.
int decimals(double step) { return std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))); }

}  // namespace

Ticks nice_ticks(double lower, double upper, int wanted) {
  const double raw = (upper - lower) / std::max(1, wanted);
  if (!std::isfinite(raw) || raw <= 0) return {};
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double fraction = raw / power;
  Ticks ticks;
  ticks.step = power * (fraction < 1.5 ? 1 : fraction < 3.5 ? 2 : fraction < 7.5 ? 5 : 10);
  constexpr double kSlack = 1e-9;  // of a step: tolerance for bounds that are ticks up to rounding
  const double first = std::ceil(lower / ticks.step - kSlack);
  const double last = std::floor(upper / ticks.step + kSlack);
  for (double k = first; k <= last && ticks.values.size() < 100; ++k)
    ticks.values.push_back(k == 0 ? 0 : k * ticks.step);
  return ticks;
}

std::vector<double> decade_ticks(double lower, double upper, int most) {
  constexpr double kSlack = 1e-9;
  const double first = std::ceil(lower - kSlack), last = std::floor(upper + kSlack);
  const double step = std::max(1.0, std::ceil((last - first + 1) / std::max(1, most)));
  std::vector<double> ticks;
  for (double k = std::ceil(first / step) * step; k <= last; k += step) ticks.push_back(k == 0 ? 0 : k);
  return ticks;
}

std::string decade_label(int exponent) {
  if (exponent >= -3 && exponent <= 4) return fmt::format("{:.{}f}", std::pow(10, exponent), std::max(0, -exponent));
  return "10" + superscript(exponent);
}

std::string tick_label(double value, double step) {
  if (std::abs(value) < 1e-6 * step) return "0";
  const double size = std::abs(value);
  if (step >= 0.999e-4 && size < 0.999e6) return with_minus(fmt::format("{:.{}f}", value, decimals(step)));
  const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const double scale = std::pow(10, exponent);
  std::string mantissa = fmt::format("{:.{}f}", value / scale, decimals(step / scale));
  return with_minus(mantissa) + "·10" + superscript(exponent);
}

std::vector<std::size_t> decimate(std::span<const double> values, std::size_t most) {
  std::vector<std::size_t> kept;
  const std::size_t n = values.size();
  if (n <= most) {
    for (std::size_t i = 0; i < n; ++i) kept.push_back(i);
    return kept;
  }
  // Keeps the ends, and two values of every interval.
  const std::size_t stretches = std::max<std::size_t>(1, (most - 2) / 2);
  kept.push_back(0);
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t begin = 1 + s * (n - 2) / stretches, end = 1 + (s + 1) * (n - 2) / stretches;
    if (begin == end) continue;
    const auto [low, high] = std::minmax_element(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 values.begin() + static_cast<std::ptrdiff_t>(end));
    const auto i = static_cast<std::size_t>(low - values.begin()), j = static_cast<std::size_t>(high - values.begin());
    kept.push_back(std::min(i, j));
    if (i != j) kept.push_back(std::max(i, j));
  }
  kept.push_back(n - 1);
  return kept;
}

}  // namespace rigor
