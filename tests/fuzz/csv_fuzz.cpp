// Any bytes are a table of numbers or an Error of one sentence.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "io/csv_column.h"
#include "rigor/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rigor;
  try {
    const CsvColumns table = read_csv_columns({reinterpret_cast<const char*>(data), size}, "time", "q");
    if (table.first.size() != table.second.size()) std::abort();
    for (const double value : table.first)
      if (!std::isfinite(value)) std::abort();
  } catch (const Error& error) {
    if (std::string_view(error.what()).size() >= 2000) std::abort();
  }
  return 0;
}
