#include "cli/table_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include "cli/command.h"
#include "cli/hdf5_tables.h"
#include "io/csv_file.h"
#include "io/json_text.h"
#include "io/recording_output.h"
#include "lab/run_tables.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

/// The lines of one table, by the rules of RFC 4180. Numbers have 17 digits and read back to the same bits.
class CsvLines {
 public:
  CsvLines(const std::string& path, const RunTable& table) : file_(path) {
    std::string header = "time";
    for (const std::string& key : table.keys) header += "," + key;
    for (const TableColumn& column : table.columns) header += "," + column.name;
    file_.write(header + "\n");
  }

  void begin(double time) { append_number(time); }
  void add(const std::string& text) {
    line_ += ',';
    append_csv_text(line_, text);
  }
  void add(double number) {
    line_ += ',';
    append_number(number);
  }
  void end() {
    line_ += '\n';
    file_.write(line_);
    line_.clear();
  }
  void finish() { file_.finish(); }

 private:
  void append_number(double value) { fmt::format_to(std::back_inserter(line_), "{:.17g}", value); }

  OutputFile file_;
  std::string line_;
};

class CsvTable final : public Recorder {
 public:
  CsvTable(const std::string& path, const RunTable& table, const std::vector<SceneSensor>& sensors)
      : table_(table), lines_(path, table), sensors_(sensors) {}

  void record(const Simulation& simulation) override {
    rows_.clear();
    append_rows(table_, simulation, rows_, &sensors_);
    const std::size_t keys = table_.keys.size(), width = table_.columns.size();
    for (std::size_t r = 0; r < rows_.count; ++r) {
      lines_.begin(simulation.time());
      for (std::size_t k = 0; k < keys; ++k) lines_.add(rows_.text[r * keys + k]);
      for (std::size_t c = 0; c < width; ++c) lines_.add(rows_.numbers[r * width + c]);
      lines_.end();
    }
  }
  void finish() override { lines_.finish(); }

 private:
  const RunTable& table_;
  CsvLines lines_;
  SensorReader sensors_;
  TableRows rows_;
};

class SeveralRecorders final : public Recorder {
 public:
  void add(std::unique_ptr<Recorder> recorder) { recorders_.push_back(std::move(recorder)); }
  void record(const Simulation& simulation) override {
    for (const auto& recorder : recorders_) recorder->record(simulation);
  }
  void finish() override {
    for (const auto& recorder : recorders_) recorder->finish();
  }

 private:
  std::vector<std::unique_ptr<Recorder>> recorders_;
};

}  // namespace

bool is_hdf5_name(const std::string& path) {
  const std::string end = std::filesystem::path(path).extension().string();
  return end == ".h5" || end == ".hdf5";
}

std::vector<std::string> table_names(const std::string& text) {
  std::vector<std::string> names = split_at_commas(text);
  for (auto name = names.begin(); name != names.end(); ++name) {
    run_table(*name, "--table");
    if (std::find(names.begin(), name, *name) != name) throw Error("--table", "'" + *name + "' is named twice");
  }
  return names;
}

void hdf5_to_csv(const std::string& in, const std::string& out, const std::string& name) {
  const RunTable& table = run_table(name, "--table");
  const Hdf5Table stored = read_hdf5_table(in, table);
  CsvLines lines(out, table);
  for (std::size_t r = 0; r < stored.time.size(); ++r) {
    lines.begin(stored.time[r]);
    for (std::size_t k = 0; k < table.keys.size(); ++k) lines.add(stored.names[k][stored.keys[k][r]]);
    for (const std::vector<double>& column : stored.columns) lines.add(column[r]);
    lines.end();
  }
  lines.finish();
}

std::vector<std::string> table_files(const std::string& path, const std::vector<std::string>& tables) {
  if (is_hdf5_name(path) || tables.size() < 2) return {path};
  std::vector<std::string> files;
  for (const std::string& table : tables)
    files.push_back(path.substr(0, path.size() - std::string(".csv").size()) + "-" + table + ".csv");
  return files;
}

std::unique_ptr<Recorder> open_table_recorder(const std::string& path, const std::vector<std::string>& tables,
                                              const std::vector<SceneSensor>& sensors) {
  std::vector<std::string> names = tables;
  if (sensors.empty() && std::find(names.begin(), names.end(), "sensors") != names.end())
    std::fputs("rigor: the scene has no sensors, so the table 'sensors' stays empty\n", stderr);
  if (is_hdf5_name(path)) {
    if (names.empty())
      for (const RunTable& table : run_tables()) names.push_back(table.name);
    return make_hdf5_recorder(path, names, sensors);
  }
  if (!path.ends_with(".csv"))
    throw Error("--table", "tables are recorded as .csv or .h5, got '" + short_text(path) + "'");
  if (names.empty()) names = {"bodies"};
  const std::vector<std::string> files = table_files(path, names);
  auto all = std::make_unique<SeveralRecorders>();
  for (std::size_t i = 0; i < names.size(); ++i)
    all->add(std::make_unique<CsvTable>(files[i], run_table(names[i], "--table"), sensors));
  return all;
}

}  // namespace rigor::cli
