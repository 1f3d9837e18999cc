// Tables of a run as HDF5: a group for each table, a data set for each column.
//
//   /bodies/time      f64, one entry for each row
//   /bodies/body      u32, index into /bodies/body_names
//   /bodies/x …       f64; the attribute "unit" has the unit
// Data sets grow by chunks and are compressed, so that a long run needs neither memory nor much space. The attributes of the root are "program" and "format".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/run_tables.h"
#include "rigor/recording.h"

namespace rigor::cli {

/// Error if the file cannot be written, or if the program was built without HDF5.
std::unique_ptr<Recorder> make_hdf5_recorder(const std::string& path, const std::vector<std::string>& tables,
                                             const std::vector<SceneSensor>& sensors);

/// One table of such a file, by columns.
struct Hdf5Table {
  std::vector<double> time;
  std::vector<std::vector<std::uint32_t>> keys;  // by text column: indices of names
  std::vector<std::vector<std::string>> names;   // by text column
  std::vector<std::vector<double>> columns;
};
/// Error if the file is damaged, is no recording, or does not have the table.
Hdf5Table read_hdf5_table(const std::string& path, const RunTable& table);

}  // namespace rigor::cli
