#include "cli/fclib_file.h"

#include <filesystem>

#include "rigor/error.h"

#if RIGOR_HAVE_HDF5
#include <H5public.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <type_traits>

#include "cli/hdf5_handle.h"
#endif

namespace rigor::cli {

bool is_fclib_name(const std::string& path) {
  const std::string end = std::filesystem::path(path).extension().string();
  return end == ".h5" || end == ".hdf5";
}

#if RIGOR_HAVE_HDF5

namespace {

using Index = std::size_t;
constexpr int kMostRows = 1'000'000;  // of a matrix; more than that is taken for a damaged file
constexpr hssize_t kMostEntries = 400'000'000;

bool exists(hid_t file, const std::string& path) { return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0; }

template <class T> hid_t type_of();
template <> hid_t type_of<int>() { return H5T_NATIVE_INT; }
template <> hid_t type_of<double>() { return H5T_NATIVE_DOUBLE; }

/// Describes what a path of the file holds instead of a list of numbers.
std::string found_at(hid_t file, const std::string& path) {
  // H5Lexists fails below a group that is missing, so the path is walked from the root.
  for (std::size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    if (!exists(file, path.substr(0, end))) return "no group " + path.substr(0, end);
  if (!exists(file, path)) return "nothing of that name";
  const Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
  return object.is_open() && H5Iget_type(object) == H5I_GROUP ? "a group" : "damaged data";
}

const char* kind_of(H5T_class_t kind) {
  switch (kind) {
    case H5T_INTEGER: return "whole numbers";
    case H5T_FLOAT: return "numbers";
    case H5T_STRING: return "text";
    default: return "other data";
  }
}

template <class T> const char* words_of();
template <> const char* words_of<int>() { return "whole numbers"; }
template <> const char* words_of<double>() { return "numbers"; }

template <class T> std::vector<T> read_list(hid_t file, const std::string& path) {
  const Handle set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.is_open()) throw Error(path, std::string("expected ") + words_of<T>() + ", got " + found_at(file, path));
  const Handle type(H5Dget_type(set), H5Tclose), space(H5Dget_space(set), H5Sclose);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind != H5T_INTEGER && (kind != H5T_FLOAT || std::is_same_v<T, int>))
    throw Error(path, std::string("expected ") + words_of<T>() + ", got " + kind_of(kind));
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0 || count > kMostEntries)
    throw Error(path, "expected at most " + std::to_string(kMostEntries) + " numbers, got " +
                          (count < 0 ? "an unknown count" : std::to_string(count)));
  std::vector<T> list(static_cast<Index>(count));
  if (count > 0 && H5Dread(set, type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, list.data()) < 0)
    throw Error(path, "the data is damaged or cut off");
  return list;
}

int read_integer(hid_t file, const std::string& path) {
  const std::vector<int> list = read_list<int>(file, path);
  if (list.size() != 1) throw Error(path, "expected one whole number, got " + std::to_string(list.size()));
  return list[0];
}

std::vector<double> read_numbers(hid_t file, const std::string& path, Index count) {
  std::vector<double> list = read_list<double>(file, path);
  if (list.size() != count)
    throw Error(path, "expected " + std::to_string(count) + " numbers, got " + std::to_string(list.size()));
  for (Index k = 0; k < list.size(); ++k)
    if (!std::isfinite(list[k])) throw Error(path, "number " + std::to_string(k) + " is not finite");
  return list;
}

/// A matrix of CSparse: triplets with nz ≥ 0, by columns with nz = −1, by rows with nz = −2.
class MatrixReader {
 public:
  MatrixReader(hid_t file, const std::string& path) : path_(path) {
    matrix_.rows = size(file, "/m");
    matrix_.columns = size(file, "/n");
    kind_ = read_integer(file, path + "/nz");
    p_ = read_list<int>(file, path + "/p"), i_ = read_list<int>(file, path + "/i");
    x_ = read_list<double>(file, path + "/x");
  }

  SparseEntries read() {
    if (kind_ >= 0) {
      const Index count = static_cast<Index>(kind_);
      if (std::min({p_.size(), i_.size(), x_.size()}) < count)
        throw Error(path_, "nz asks for " + std::to_string(count) + " entries, and p, i and x have " +
                               std::to_string(std::min({p_.size(), i_.size(), x_.size()})));
      for (Index k = 0; k < count; ++k) add(i_[k], p_[k], x_[k]);
      return std::move(matrix_);
    }
    if (kind_ != -1 && kind_ != -2)
      throw Error(path_ + "/nz", "expected -2, -1 or the number of entries, got " + std::to_string(kind_));
    const int outer = kind_ == -1 ? matrix_.columns : matrix_.rows;
    if (p_.size() != static_cast<Index>(outer) + 1)
      throw Error(path_ + "/p", "expected " + std::to_string(outer + 1) + " numbers, got " + std::to_string(p_.size()));
    for (int k = 0; k < outer; ++k) {
      const int begin = p_[static_cast<Index>(k)], end = p_[static_cast<Index>(k) + 1];
      if (begin < 0 || end < begin || static_cast<Index>(end) > std::min(i_.size(), x_.size()))
        throw Error(path_ + "/p", "expected numbers that ascend to at most " +
                                      std::to_string(std::min(i_.size(), x_.size())) + ", got " +
                                      std::to_string(begin) + " and then " + std::to_string(end));
      for (Index at = static_cast<Index>(begin); at < static_cast<Index>(end); ++at)
        kind_ == -1 ? add(i_[at], k, x_[at]) : add(k, i_[at], x_[at]);
    }
    return std::move(matrix_);
  }

 private:
  int size(hid_t file, const char* name) {
    const int n = read_integer(file, path_ + name);
    if (n < 0 || n > kMostRows)
      throw Error(path_ + name, "expected 0 to " + std::to_string(kMostRows) + ", got " + std::to_string(n));
    return n;
  }
  void add(int row, int column, double value) {
    if (row < 0 || column < 0 || row >= matrix_.rows || column >= matrix_.columns)
      throw Error(path_, "entry (" + std::to_string(row) + ", " + std::to_string(column) + ") lies outside of its " +
                             std::to_string(matrix_.rows) + " × " + std::to_string(matrix_.columns) + " numbers");
    if (!std::isfinite(value))
      throw Error(path_, "entry (" + std::to_string(row) + ", " + std::to_string(column) + ") is not finite");
    matrix_.add(row, column, value);
  }

  std::string path_;
  SparseEntries matrix_;
  int kind_ = 0;
  std::vector<int> p_, i_;
  std::vector<double> x_;
};

SparseEntries read_matrix(hid_t file, const std::string& path) { return MatrixReader(file, path).read(); }

template <class T> void write_list(hid_t file, const std::string& path, std::span<const T> list) {
  const hsize_t size = list.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle set(H5Dcreate2(file, path.c_str(), type_of<T>(), space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                   H5Dclose);
  if (!set.is_open() || H5Dwrite(set, type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, list.data()) < 0)
    throw Error(path, "cannot be written");
}

void write_integer(hid_t file, const std::string& path, int value) { write_list<int>(file, path, {&value, 1}); }

void make_group(hid_t file, const std::string& path) {
  const Handle group(H5Gcreate2(file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  if (!group.is_open()) throw Error(path, "cannot be written");
}

void write_text(hid_t file, const std::string& path, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
  H5Tset_size(type, text.size() + 1);
  const Handle set(H5Dcreate2(file, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
  if (!set.is_open() || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()) < 0)
    throw Error(path, "cannot be written");
}

/// W by rows, zeros within blocks included.
void write_matrix(hid_t file, const std::string& path, const BlockMatrix& W) {
  std::vector<int> p{0}, i;
  std::vector<double> x;
  for (int b = 0; b < W.blocks(); ++b)
    for (int row = 0; row < W.size_of(b); ++row) {
      for (int k = W.row_begin[Index(b)]; k < W.row_begin[Index(b) + 1]; ++k) {
        const int column = W.column[Index(k)], m = W.size_of(column);
        const double* block = W.data.data() + W.data_begin[Index(k)];
        for (int j = 0; j < m; ++j) i.push_back(W.start[Index(column)] + j), x.push_back(block[row * m + j]);
      }
      p.push_back(static_cast<int>(x.size()));
    }
  make_group(file, path);
  write_integer(file, path + "/nzmax", static_cast<int>(x.size()));
  write_integer(file, path + "/m", W.size());
  write_integer(file, path + "/n", W.size());
  write_integer(file, path + "/nz", -2);
  write_list<int>(file, path + "/p", p);
  write_list<int>(file, path + "/i", i);
  write_list<double>(file, path + "/x", x);
}

std::string size_text(const SparseEntries& m) { return std::to_string(m.rows) + " × " + std::to_string(m.columns); }

ContactFile read_problem(hid_t file) {
  ContactFile problem;
  problem.global = exists(file, "/fclib_global");
  if (!problem.global && !exists(file, "/fclib_local"))
    throw Error("/", "expected a group fclib_local or fclib_global, as FCLIB writes them, got neither");
  const std::string root = problem.global ? "/fclib_global" : "/fclib_local";
  problem.dimension = read_integer(file, root + "/spacedim");
  if (problem.dimension != 2 && problem.dimension != 3)
    throw Error(root + "/spacedim", "expected 2 or 3, got " + std::to_string(problem.dimension));
  for (const char* equations : {"/V", "/R", "/G"})
    if (exists(file, root + equations)) throw Error(root + equations, "equations besides contacts cannot be solved");
  int rows = 0;
  if (problem.global) {
    problem.M = read_matrix(file, root + "/M"), problem.H = read_matrix(file, root + "/H");
    rows = problem.H.columns;
    if (problem.M.rows != problem.M.columns || problem.H.rows != problem.M.rows)
      throw Error(root, "expected a square M with as many rows as H, got " + size_text(problem.M) + " and " +
                            size_text(problem.H));
  } else {
    problem.W = read_matrix(file, root + "/W");
    rows = problem.W.rows;
    if (problem.W.rows != problem.W.columns)
      throw Error(root + "/W", "expected a square matrix, got " + size_text(problem.W));
  }
  if (rows % problem.dimension != 0)
    throw Error(root,
                "expected a multiple of " + std::to_string(problem.dimension) + " rows, got " + std::to_string(rows));
  problem.contacts = rows / problem.dimension;
  const std::string vectors = root + "/vectors/";
  problem.mu = read_numbers(file, vectors + "mu", Index(problem.contacts));
  if (problem.global) {
    problem.q = read_numbers(file, vectors + "f", Index(problem.M.rows));
    problem.b = read_numbers(file, vectors + "w", Index(rows));
  } else {
    problem.q = read_numbers(file, vectors + "q", Index(rows));
  }
  if (exists(file, "/solution") && exists(file, "/solution/r"))
    problem.solution = read_numbers(file, "/solution/r", Index(rows));
  return problem;
}

}  // namespace

ContactFile read_fclib(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw Error(path, "expected a file, got a folder");
  if (!std::ifstream(path)) throw Error(path, "cannot be read");
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // what is wrong is said below
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.is_open())
    throw Error(path, H5Fis_hdf5(path.c_str()) > 0 ? "the HDF5 file is damaged or cut off"
                                                   : "expected an HDF5 file, and it does not begin like one");
  try {
    return read_problem(file);
  } catch (const Error& error) {
    throw Error(path, error.what());
  }
}

void write_fclib(const std::string& path, const ConeProblem& problem, std::span<const double> solution,
                 const std::string& title) {
  const int dimension = problem.blocks.empty() ? 3 : problem.blocks[0].size;
  std::vector<double> mu;
  for (const ConeBlock& block : problem.blocks) {
    if (!block.contact || block.size != dimension || block.groups != 1 || block.group[0].size != dimension - 1)
      throw Error("contact problem", "only contacts with one normal and two tangents have a place in this format");
    mu.push_back(block.group[0].mu);
  }
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (!file.is_open()) throw Error(path, "cannot be written");
  make_group(file, "/fclib_local");
  write_integer(file, "/fclib_local/spacedim", dimension);
  write_matrix(file, "/fclib_local/W", problem.W);
  make_group(file, "/fclib_local/vectors");
  write_list<double>(file, "/fclib_local/vectors/q", problem.q);
  write_list<double>(file, "/fclib_local/vectors/mu", mu);
  make_group(file, "/fclib_local/info");
  write_text(file, "/fclib_local/info/title", title);
  if (solution.empty()) return;
  std::vector<double> u(solution.size());
  velocities(problem, solution, u);
  make_group(file, "/solution");
  write_list<double>(file, "/solution/u", u);
  write_list<double>(file, "/solution/r", solution);
}

#else

ContactFile read_fclib(const std::string& path) {
  throw Error(path, "this program was built without HDF5 and cannot read it");
}

void write_fclib(const std::string& path, const ConeProblem&, std::span<const double>, const std::string&) {
  throw Error(path, "this program was built without HDF5 and cannot write it");
}

#endif

}  // namespace rigor::cli
