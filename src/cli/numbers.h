// Reads and prints numbers of the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/method_text.h"
#include "rigor/fields.h"

namespace rigor::cli {

/// A number between the bounds, or a fraction of two such as 1/60. Error at `option` otherwise.
double number_in(const std::string& option, const std::string& text, double min, double max);
/// Such numbers separated by commas, at most `most` of them.
std::vector<double> numbers_in(const std::string& option, const std::string& text, double min, double max,
                               std::size_t most);
/// The parts between the separators, empty ones too.
std::vector<std::string> split(const std::string& text, char separator);
/// A whole number from 1 to `most`.
std::uint64_t count(const std::string& option, const std::string& text, std::uint64_t most);
/// Parses true, false, a whole number or a number; anything else is a string.
Value parse_value(const std::string& text);

/// The number of steps that cover `seconds`: the nearest whole number if it is met to 1e-9 of a step, else the next larger one.
/// Error beyond 1e9.
std::uint64_t steps_for(double seconds, double dt);

std::string hex(std::uint64_t hash);  // 16 digits
/// "1 body", "3 bodies".
std::string counted(std::uint64_t n, const std::string& one, const std::string& many);
/// "850 ns", "12.3 µs", "4.56 ms", "1.2 s".
std::string duration_text(double milliseconds);
std::string size_text(std::uint64_t bytes);

}  // namespace rigor::cli
