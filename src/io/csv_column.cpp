#include "io/csv_column.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "io/json_text.h"
#include "rigor/error.h"

namespace rigor {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

/// The fields of a line without their quotes. A quoted field may hold commas, and no line ends.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != ',' || quoted)) continue;
    std::string_view field = trimmed(line.substr(begin, i - begin));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
    fields.push_back(field);
    begin = i + 1;
  }
  return fields;
}

[[noreturn]] void fail(std::size_t line, const std::string& reason) {
  throw Error("line " + std::to_string(line), reason);
}

double number_in(std::string_view field, std::size_t line) {
  double value = 0;
  if (!field.empty() && field.front() == '+') field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
    fail(line, "expected a number, got '" + short_text(field) + "'");
  return value;
}

std::size_t column_of(const std::vector<std::string_view>& headings, const std::string& name, std::size_t line) {
  const auto found = std::find(headings.begin(), headings.end(), name);
  if (found == headings.end()) fail(line, "there is no column '" + short_text(name) + "'");
  return static_cast<std::size_t>(found - headings.begin());
}

}  // namespace

CsvColumns read_csv_columns(std::string_view text, const std::string& first, const std::string& second) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  CsvColumns columns;
  std::size_t number = 0, one = 0, two = 0;
  bool has_headings = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string_view> fields = fields_of(line);
    if (!has_headings) {
      one = column_of(fields, first, number);
      two = column_of(fields, second, number);
      has_headings = true;
      continue;
    }
    if (std::max(one, two) >= fields.size())
      fail(number, "expected " + std::to_string(std::max(one, two) + 1) + " columns or more, got " +
                       std::to_string(fields.size()));
    if (columns.first.size() >= kMaxTableRows)
      fail(number, "a table has at most " + std::to_string(kMaxTableRows) + " rows");
    columns.first.push_back(number_in(fields[one], number));
    columns.second.push_back(number_in(fields[two], number));
  }
  if (!has_headings) fail(1, "the table is empty");
  return columns;
}

}  // namespace rigor
