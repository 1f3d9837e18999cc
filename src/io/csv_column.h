// Columns of a table as text, for targets of motors over time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rigor {

inline constexpr std::size_t kMaxTableRows = 1'000'000;

/// Two columns of a table with a line of headings; fields are separated by commas, and may be quoted. Empty lines and lines that begin with # are left
/// out. Error "line L: …" for a missing heading, a short line or a field that is not a finite number, and for more than kMaxTableRows rows.
struct CsvColumns {
  std::vector<double> first, second;
};
CsvColumns read_csv_columns(std::string_view text, const std::string& first, const std::string& second);

}  // namespace rigor
