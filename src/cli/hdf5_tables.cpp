#include "cli/hdf5_tables.h"

#include "rigor/error.h"

#if RIGOR_HAVE_HDF5
#include <H5public.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "cli/hdf5_handle.h"
#include "io/recording_output.h"
#endif

namespace rigor::cli {

#if RIGOR_HAVE_HDF5

namespace {

constexpr std::size_t kChunk = 4096;  // rows that are collected before they are written
constexpr unsigned kCompression = 3;

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error("HDF5: " + what + " cannot be written"); }

void write_attribute(hid_t object, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type, text.size() + 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.is_open() || H5Awrite(attribute, type, text.c_str()) < 0) fail(name);
}

/// A data set to which numbers can be appended.
class GrowingList {
 public:
  GrowingList(hid_t group, const std::string& name, hid_t type, const std::string& unit)
      : name_(name), type_(type), set_(create(group, name, type), H5Dclose) {
    if (!set_.is_open()) fail(name);
    if (!unit.empty()) write_attribute(set_, "unit", unit);
  }

  void append(const void* data, std::size_t count) {
    const hsize_t begin = size_, more = count, all = size_ + count;
    if (H5Dset_extent(set_, &all) < 0) fail(name_);
    const Handle file_space(H5Dget_space(set_), H5Sclose), memory(H5Screate_simple(1, &more, nullptr), H5Sclose);
    H5Sselect_hyperslab(file_space, H5S_SELECT_SET, &begin, nullptr, &more, nullptr);
    if (H5Dwrite(set_, type_, memory, file_space, H5P_DEFAULT, data) < 0) fail(name_);
    size_ = all;
  }

 private:
  static hid_t create(hid_t group, const std::string& name, hid_t type) {
    const hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = kChunk;
    const Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(properties, 1, &chunk);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) H5Pset_shuffle(properties), H5Pset_deflate(properties, kCompression);
    return H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  }

  std::string name_;
  hid_t type_;
  Handle set_;
  hsize_t size_ = 0;
};

/// One table: rows are collected and written by columns.
class TableGroup {
 public:
  TableGroup(hid_t file, const RunTable& table, const std::vector<SceneSensor>& sensors)
      : table_(table),
        sensors_(sensors),
        group_(H5Gcreate2(file, table.name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose) {
    if (!group_.is_open()) fail(table.name);
    lists_.push_back(std::make_unique<GrowingList>(group_, "time", H5T_NATIVE_DOUBLE, "s"));
    for (const std::string& key : table.keys)
      lists_.push_back(std::make_unique<GrowingList>(group_, key, H5T_NATIVE_UINT32, ""));
    for (const TableColumn& column : table.columns)
      lists_.push_back(std::make_unique<GrowingList>(group_, column.name, H5T_NATIVE_DOUBLE, column.unit));
    names_.resize(table.keys.size()), index_.resize(table.keys.size());
  }

  void record(const Simulation& simulation) {
    append_rows(table_, simulation, rows_, &sensors_);
    times_.resize(rows_.count, simulation.time());
    if (rows_.count >= kChunk) flush();
  }

  void flush() {
    const std::size_t n = rows_.count, keys = table_.keys.size(), width = table_.columns.size();
    if (n == 0) return;
    lists_[0]->append(times_.data(), n);
    std::vector<std::uint32_t> indices(n);
    for (std::size_t k = 0; k < keys; ++k) {
      for (std::size_t r = 0; r < n; ++r) indices[r] = index_of(k, rows_.text[r * keys + k]);
      lists_[1 + k]->append(indices.data(), n);
    }
    std::vector<double> column(n);
    for (std::size_t c = 0; c < width; ++c) {
      for (std::size_t r = 0; r < n; ++r) column[r] = rows_.numbers[r * width + c];
      lists_[1 + keys + c]->append(column.data(), n);
    }
    rows_.clear(), times_.clear();
  }

  void write_names() {
    for (std::size_t k = 0; k < names_.size(); ++k) {
      const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
      H5Tset_size(type, H5T_VARIABLE);
      H5Tset_cset(type, H5T_CSET_UTF8);
      const hsize_t count = names_[k].size();
      const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
      const std::string name = table_.keys[k] + "_names";
      const Handle set(H5Dcreate2(group_, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
      std::vector<const char*> texts;
      for (const std::string& text : names_[k]) texts.push_back(text.c_str());
      if (!set.is_open() || (count > 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) < 0))
        fail(name);
    }
  }

 private:
  std::uint32_t index_of(std::size_t key, const std::string& name) {
    const auto [found, is_new] = index_[key].try_emplace(name, static_cast<std::uint32_t>(names_[key].size()));
    if (is_new) names_[key].push_back(name);
    return found->second;
  }

  const RunTable& table_;
  SensorReader sensors_;
  Handle group_;
  std::vector<std::unique_ptr<GrowingList>> lists_;  // time, keys, columns
  TableRows rows_;
  std::vector<double> times_;
  std::vector<std::vector<std::string>> names_;              // by key
  std::vector<std::map<std::string, std::uint32_t>> index_;  // by key
};

/// HDF5 opens files by name, so the file is written as NAME.part and renamed at the end. An OutputFile checks first that the final name can be
/// written.
class Hdf5Recorder final : public Recorder {
 public:
  Hdf5Recorder(const std::string& path, const std::vector<std::string>& tables, const std::vector<SceneSensor>& sensors)
      : path_(path) {
    OutputFile probe(path);  // throws if the name cannot be written
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    open_part();
    write_attribute(*file_, "program", "rigor");
    write_attribute(*file_, "format", "tables 1");
    for (const std::string& name : tables)
      groups_.push_back(std::make_unique<TableGroup>(*file_, run_table(name, "--table"), sensors));
  }
  ~Hdf5Recorder() override {
    groups_.clear();
    file_.reset();
    std::error_code error;
    if (!finished_) std::filesystem::remove(part_, error);
  }

  void record(const Simulation& simulation) override {
    for (const auto& group : groups_) group->record(simulation);
  }
  void finish() override {
    if (finished_) return;
    for (const auto& group : groups_) group->flush(), group->write_names();
    groups_.clear();
    if (H5Fflush(*file_, H5F_SCOPE_GLOBAL) < 0) fail(path_);
    file_.reset();
    std::error_code error;
    std::filesystem::rename(part_, path_, error);
    if (error) throw std::runtime_error("writing '" + path_ + "' failed: " + error.message());
    finished_ = true;
  }

 private:
  void open_part() {
    constexpr int kMostNames = 1000;
    for (int i = 1; i <= kMostNames; ++i) {
      part_ = path_ + ".part" + (i > 1 ? std::to_string(i) : "");
      if (std::filesystem::exists(part_)) continue;
      file_ = std::make_unique<Handle>(H5Fcreate(part_.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
      if (file_->is_open()) return;
    }
    throw Error("cannot write '" + path_ + "'");
  }

  std::string path_, part_;
  std::unique_ptr<Handle> file_;
  std::vector<std::unique_ptr<TableGroup>> groups_;
  bool finished_ = false;
};

/// The most bytes that a data set can hold: those that the file has for it, and deflate expands by 1032 at most. A damaged size is larger.
double most_bytes(hid_t set) {
  constexpr double kMostExpansion = 1032;
  const Handle file(H5Iget_file_id(set), H5Fclose);
  hsize_t size = 0;
  if (!file.is_open() || H5Fget_filesize(file, &size) < 0) return 0;
  return kMostExpansion * static_cast<double>(std::min(H5Dget_storage_size(set), size));
}

template <class T> std::vector<T> read_list(hid_t group, const std::string& name, hid_t type) {
  constexpr hssize_t kMost = 2'000'000'000;
  const Handle set(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.is_open()) throw Error(name, "is missing");
  const Handle space(H5Dget_space(set), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0 || count > kMost) throw Error(name, "has an unreadable size");
  if (static_cast<double>(count) * sizeof(T) > most_bytes(set)) throw Error(name, "has more rows than the file holds");
  std::vector<T> list(static_cast<std::size_t>(count));
  if (count > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, list.data()) < 0)
    throw Error(name, "cannot be read");
  return list;
}

std::vector<std::string> read_names(hid_t group, const std::string& name) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  std::vector<std::string> names;
  for (char* text : read_list<char*>(group, name, type)) {
    names.emplace_back(text ? text : "");
    H5free_memory(text);
  }
  return names;
}

}  // namespace

std::unique_ptr<Recorder> make_hdf5_recorder(const std::string& path, const std::vector<std::string>& tables,
                                             const std::vector<SceneSensor>& sensors) {
  return std::make_unique<Hdf5Recorder>(path, tables, sensors);
}

Hdf5Table read_hdf5_table(const std::string& path, const RunTable& table) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  if (!std::filesystem::exists(path)) throw Error("cannot read '" + path + "': there is no such file");
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.is_open()) throw Error(path, "this is no HDF5 file, or it is damaged");
  const Handle group(H5Gopen2(file, table.name.c_str(), H5P_DEFAULT), H5Gclose);
  if (!group.is_open()) throw Error(path, "the file does not hold the table '" + table.name + "'");
  Hdf5Table out;
  try {
    out.time = read_list<double>(group, "time", H5T_NATIVE_DOUBLE);
    for (const std::string& key : table.keys) {
      out.keys.push_back(read_list<std::uint32_t>(group, key, H5T_NATIVE_UINT32));
      out.names.push_back(read_names(group, key + "_names"));
      for (const std::uint32_t index : out.keys.back())
        if (index >= out.names.back().size()) throw Error(key, "refers to a name that is not there");
      if (out.keys.back().size() != out.time.size()) throw Error(key, "has another number of rows than the time");
    }
    for (const TableColumn& column : table.columns) {
      out.columns.push_back(read_list<double>(group, column.name, H5T_NATIVE_DOUBLE));
      if (out.columns.back().size() != out.time.size())
        throw Error(column.name, "has another number of rows than the time");
    }
  } catch (const Error& error) {
    throw Error(path, "/" + table.name + "/" + error.what());
  }
  return out;
}

#else

Hdf5Table read_hdf5_table(const std::string& path, const RunTable&) {
  throw Error(path, "this program was built without HDF5 and cannot read it");
}

std::unique_ptr<Recorder> make_hdf5_recorder(const std::string& path, const std::vector<std::string>&,
                                             const std::vector<SceneSensor>&) {
  throw Error(path, "this program was built without HDF5 and cannot write it; .csv with --table works");
}

#endif

}  // namespace rigor::cli
