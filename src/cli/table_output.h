// Recordings as tables (lab/run_tables.h): CSV, one file for each table, or HDF5 with all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rigor/recording.h"
#include "rigor/scene_sensor.h"

namespace rigor::cli {

/// True for .h5 and .hdf5.
bool is_hdf5_name(const std::string& path);
/// The names of tables in "joints,contacts"; Error if one is unknown or named twice.
std::vector<std::string> table_names(const std::string& text);
/// A recorder of these tables. CSV: the file itself for one table, NAME-TABLE.csv for several. No names: all tables (HDF5), or the bodies.
/// Prints a sentence on standard error if the table of sensors is asked for and the scene has none.
std::unique_ptr<Recorder> open_table_recorder(const std::string& path, const std::vector<std::string>& tables,
                                              const std::vector<SceneSensor>& sensors);
/// One table of an HDF5 recording as the CSV file that a recorder of it writes.
void hdf5_to_csv(const std::string& in, const std::string& out, const std::string& table);
/// The files that open_table_recorder() will write.
std::vector<std::string> table_files(const std::string& path, const std::vector<std::string>& tables);

}  // namespace rigor::cli
