#include "cli/fclib_file.h"

#include <filesystem>

#include "rigor/error.h"

#if RIGOR_HAVE_HDF5
#include <H5public.h>
#include <hdf5.h>

#include <algorithm>
#include <cmath>
#include <fstream>

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

bool exists(hid_t file, const std::string& path) { return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0; }

template <class T> hid_t type_of();
template <> hid_t type_of<int>() { return H5T_NATIVE_INT; }
template <> hid_t type_of<double>() { return H5T_NATIVE_DOUBLE; }

template <class T> std::vector<T> read_list(hid_t file, const std::string& path) {
  const Handle set(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.is_open()) throw Error(path, "is missing");
  const Handle space(H5Dget_space(set), H5Sclose);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0 || count > 400'000'000) throw Error(path, "has no size that can be read");
  std::vector<T> list(static_cast<Index>(count));
  if (count > 0 && H5Dread(set, type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, list.data()) < 0)
    throw Error(path, "cannot be read as numbers");
  return list;
}

int read_integer(hid_t file, const std::string& path) {
  const std::vector<int> list = read_list<int>(file, path);
  if (list.size() != 1) throw Error(path, "expected one whole number");
  return list[0];
}

std::vector<double> read_numbers(hid_t file, const std::string& path, Index count) {
  std::vector<double> list = read_list<double>(file, path);
  if (list.size() != count)
    throw Error(path, "expected " + std::to_string(count) + " numbers, got " + std::to_string(list.size()));
  if (!std::all_of(list.begin(), list.end(), [](double x) { return std::isfinite(x); }))
    throw Error(path, "has a number that is not finite");
  return list;
}

SparseEntries read_matrix(hid_t file, const std::string& path) {
  SparseEntries matrix;
  matrix.rows = read_integer(file, path + "/m"), matrix.columns = read_integer(file, path + "/n");
  if (matrix.rows < 0 || matrix.columns < 0 || matrix.rows > kMostRows || matrix.columns > kMostRows)
    throw Error(path, "has no size that can be read");
  const int kind = read_integer(file, path + "/nz");
  const std::vector<int> p = read_list<int>(file, path + "/p"), i = read_list<int>(file, path + "/i");
  const std::vector<double> x = read_list<double>(file, path + "/x");
  const auto add = [&](int row, int column, double value) {
    if (row < 0 || column < 0 || row >= matrix.rows || column >= matrix.columns)
      throw Error(path, "has an entry outside of the matrix");
    if (!std::isfinite(value)) throw Error(path, "has a number that is not finite");
    matrix.add(row, column, value);
  };
  if (kind >= 0) {
    const Index count = static_cast<Index>(kind);
    if (p.size() < count || i.size() < count || x.size() < count) throw Error(path, "has fewer entries than nz says");
    for (Index k = 0; k < count; ++k) add(i[k], p[k], x[k]);
    return matrix;
  }
  if (kind != -1 && kind != -2) throw Error(path + "/nz", "expected -2, -1 or the number of entries");
  const int outer = kind == -1 ? matrix.columns : matrix.rows;
  if (p.size() != static_cast<Index>(outer) + 1) throw Error(path + "/p", "does not fit the size of the matrix");
  for (int k = 0; k < outer; ++k) {
    const int begin = p[static_cast<Index>(k)], end = p[static_cast<Index>(k) + 1];
    if (begin < 0 || end < begin || static_cast<Index>(end) > std::min(i.size(), x.size()))
      throw Error(path + "/p", "does not ascend within the entries");
    for (Index at = static_cast<Index>(begin); at < static_cast<Index>(end); ++at)
      kind == -1 ? add(i[at], k, x[at]) : add(k, i[at], x[at]);
  }
  return matrix;
}

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

ContactFile read_problem(hid_t file) {
  ContactFile problem;
  problem.global = exists(file, "/fclib_global");
  if (!problem.global && !exists(file, "/fclib_local"))
    throw Error("/", "neither fclib_local nor fclib_global is there");
  const std::string root = problem.global ? "/fclib_global" : "/fclib_local";
  problem.dimension = read_integer(file, root + "/spacedim");
  if (problem.dimension != 2 && problem.dimension != 3) throw Error(root + "/spacedim", "expected 2 or 3");
  for (const char* equations : {"/V", "/R", "/G"})
    if (exists(file, root + equations)) throw Error(root + equations, "equations besides contacts cannot be solved");
  int rows = 0;
  if (problem.global) {
    problem.M = read_matrix(file, root + "/M"), problem.H = read_matrix(file, root + "/H");
    rows = problem.H.columns;
    if (problem.M.rows != problem.M.columns || problem.H.rows != problem.M.rows)
      throw Error(root, "the sizes of M and H do not fit");
  } else {
    problem.W = read_matrix(file, root + "/W");
    rows = problem.W.rows;
    if (problem.W.rows != problem.W.columns) throw Error(root + "/W", "expected a square matrix");
  }
  if (rows % problem.dimension != 0) throw Error(root, "the number of rows is no multiple of spacedim");
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
  if (!std::ifstream(path)) throw Error(path, "cannot be read");
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // what is wrong is said below
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.is_open()) throw Error(path, "is no HDF5 file");
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
