#include "lcp/contact_file.h"

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "rigor/error.h"

namespace rigor {

namespace {

using Index = std::size_t;
constexpr int kMostRows = 1'000'000;        // of a matrix; more than that is taken for a damaged file
constexpr double kMostDense = 100'000'000;  // entries

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  double number(const char* what) {
    skip_space();
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    double value = 0;
    if (begin != end && *begin == '+') ++begin;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || !std::isfinite(value)) fail(std::string(what).append(": expected a finite number"));
    at_ = static_cast<Index>(stop - text_.data());
    return value;
  }
  int integer(const char* what, double most) {
    const double v = number(what);
    if (v < 0 || v > most || v != std::floor(v)) fail(std::string(what) + ": expected a whole number of at least 0");
    return static_cast<int>(v);
  }
  std::string_view line() {
    const Index end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view l = text_.substr(at_, end - at_);
    at_ = std::min(end + 1, text_.size());
    return l;
  }
  /// How many words are left.
  Index words_left() const {
    Index count = 0;
    bool inside = false;
    for (Index i = at_; i < text_.size(); ++i) {
      const bool space = is_space(text_[i]);
      count += !space && !inside;
      inside = !space;
    }
    return count;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  /// Passes over everything up to and including `mark`.
  void pass(std::string_view mark) {
    const Index found = text_.find(mark, at_);
    if (found == std::string_view::npos) fail("expected '" + std::string(mark) + "'");
    at_ = found + mark.size();
  }
  /// True if the next word begins with `word`.
  bool next_is(std::string_view word) {
    skip_space();
    return text_.substr(at_, word.size()) == word;
  }
  [[noreturn]] void fail(const std::string& why) const {
    Index line = 1;
    for (Index i = 0; i < std::min(at_, text_.size()); ++i) line += text_[i] == '\n';
    throw Error("line " + std::to_string(line), why);
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
  void skip_space() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  std::string_view text_;
  Index at_ = 0;
};

void read_dense(Reader& in, SparseEntries& m) {
  if (in.integer("rows", kMostRows) != m.rows || in.integer("columns", kMostRows) != m.columns)
    in.fail("the sizes of a dense matrix differ");
  if (double(m.rows) * double(m.columns) > kMostDense) in.fail("a dense matrix of more than 1e8 entries");
  for (int j = 0; j < m.columns; ++j)
    for (int i = 0; i < m.rows; ++i)
      if (const double v = in.number("an entry of a dense matrix"); v != 0) m.add(i, j, v);
}

std::vector<int> read_ends(Reader& in, int count, int most) {
  std::vector<int> ends = {0};
  for (int i = 0; i < count; ++i) {
    ends.push_back(in.integer("the end of a block", most));
    if (ends.back() <= ends[Index(i)]) in.fail("the ends of blocks ascend");
  }
  if (ends.back() != most) in.fail("the blocks do not fill the matrix");
  return ends;
}

void read_blocks(Reader& in, SparseEntries& m) {
  const int count = in.integer("number of blocks", 1e8);
  const int rows = in.integer("number of block rows", m.rows),
            columns = in.integer("number of block columns", m.columns);
  const std::vector<int> row_end = read_ends(in, rows, m.rows), column_end = read_ends(in, columns, m.columns);
  const int filled_rows = in.integer("filled block rows", rows + 1), filled = in.integer("filled blocks", 1e8);
  if (filled < count || filled_rows < 1) in.fail("fewer columns than blocks");
  std::vector<int> begin, column;
  for (int i = 0; i < filled_rows; ++i) begin.push_back(in.integer("the first block of a row", count));
  for (int i = 0; i < filled; ++i) column.push_back(in.integer("the column of a block", columns - 1));
  for (Index i = 0; i + 1 < begin.size(); ++i)
    for (int k = begin[i]; k < begin[i + 1]; ++k) {
      if (in.integer("the number of a block", count) != k) in.fail("blocks are numbered from 0 on");
      const Index j = Index(column[Index(k)]);
      for (int b = column_end[j]; b < column_end[j + 1]; ++b)
        for (int a = row_end[i]; a < row_end[i + 1]; ++a)
          if (const double v = in.number("an entry of a block"); v != 0) m.add(a, b, v);
    }
}

/// As CSparse prints it: triplets "i j : v", or "col j : locations p to q" followed by "i : v" lines; rows likewise.
void read_sparse(Reader& in, SparseEntries& m) {
  in.integer("origin of a sparse matrix", 10);
  in.line();
  in.line();  // the version of CSparse
  const bool triplets = in.next_is("triplet:"), by_rows = in.next_is("csr:");
  in.pass("nnz:");
  const int count = in.integer("number of entries", 1e8);
  in.line();
  if (triplets) {
    for (int k = 0; k < count; ++k) {
      const int i = in.integer("row", m.rows - 1), j = in.integer("column", m.columns - 1);
      in.pass(":");
      m.add(i, j, in.number("an entry"));
    }
    return;
  }
  const int lines = by_rows ? m.rows : m.columns;
  for (int j = 0; j < lines; ++j) {
    in.pass("locations");
    const double from = in.number("first entry");
    in.pass("to");
    const double to = in.number("last entry");
    if (to - from > count) in.fail("more entries than the matrix has");
    for (double p = from; p <= to; ++p) {
      const int i = in.integer("index of an entry", (by_rows ? m.columns : m.rows) - 1);
      in.pass(":");
      const double v = in.number("an entry");
      by_rows ? m.add(j, i, v) : m.add(i, j, v);
    }
  }
}

SparseEntries read_matrix(Reader& in) {
  SparseEntries m;
  const int storage = in.integer("storage of a matrix", 100);
  m.rows = in.integer("rows", kMostRows), m.columns = in.integer("columns", kMostRows);
  switch (storage) {
    case 0: read_dense(in, m); break;
    case 1: read_blocks(in, m); break;
    case 2: read_sparse(in, m); break;
    default: in.fail("the storage of a matrix is 0 (dense), 1 (sparse blocks) or 2 (sparse)");
  }
  return m;
}

std::vector<double> read_vector(Reader& in, int size, const char* what) {
  std::vector<double> v;
  for (int i = 0; i < size; ++i) v.push_back(in.number(what));
  return v;
}

using Sparse = Eigen::SparseMatrix<double>;

Sparse eigen(const SparseEntries& m) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index k = 0; k < m.value.size(); ++k) entries.emplace_back(m.row[k], m.column[k], m.value[k]);
  Sparse s(m.rows, m.columns);
  s.setFromTriplets(entries.begin(), entries.end());
  return s;
}

ConeProblem delassus(const ContactFile& f) {
  if (f.M.rows == 0) throw Error("M", "the matrix of masses has no rows");
  Sparse M = eigen(f.M), H = eigen(f.H);
  M.makeCompressed(), H.makeCompressed();
  Eigen::SparseLU<Sparse> factors(M);
  if (factors.info() != Eigen::Success) throw Error("M", "the matrix of masses is singular");
  const int n = f.H.columns;
  const Eigen::MatrixXd X = factors.solve(Eigen::MatrixXd(H));
  const Eigen::MatrixXd W = H.transpose() * X;
  const Eigen::VectorXd v = factors.solve(Eigen::Map<const Eigen::VectorXd>(f.q.data(), f.M.rows));
  const Eigen::VectorXd q = H.transpose() * v + Eigen::Map<const Eigen::VectorXd>(f.b.data(), n);
  SparseEntries entries;
  entries.rows = entries.columns = n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (W(i, j) != 0) entries.add(i, j, W(i, j));
  return contact_problem(block_matrix(contact_starts(f.contacts, f.dimension), entries),
                         std::vector<double>(q.data(), q.data() + n), f.mu, f.dimension);
}

}  // namespace

ConeProblem ContactFile::problem() const {
  if (global) return delassus(*this);
  return contact_problem(block_matrix(contact_starts(contacts, dimension), W), q, mu, dimension);
}

ContactFile read_contact_file(std::string_view text) {
  Reader in(text);
  ContactFile f;
  f.dimension = in.integer("dimension", 1000);
  if (f.dimension != 2 && f.dimension != 3) in.fail("the dimension of contacts is 2 or 3");
  f.contacts = in.integer("number of contacts", kMostRows / 3);
  SparseEntries first = read_matrix(in);
  const int n = f.dimension * f.contacts;
  const Index left = in.words_left(), plain = Index(first.columns) + Index(f.contacts);
  // A flag of older versions, and a solution, may follow.
  const bool reduced = left == plain || left == plain + 1 || left == plain + Index(n) || left == plain + Index(n) + 1;
  f.global = !(reduced && first.rows == n);
  if (f.global) {
    f.M = std::move(first);
    f.H = read_matrix(in);
    if (f.M.rows != f.M.columns || f.H.rows != f.M.rows || f.H.columns != n)
      in.fail("the sizes of M, H and the contacts differ");
    f.q = read_vector(in, f.M.rows, "q"), f.b = read_vector(in, n, "b");
  } else {
    f.W = std::move(first);
    if (f.W.rows != n || f.W.columns != n) in.fail("W does not fit the number of contacts");
    f.q = read_vector(in, n, "q");
  }
  f.mu = read_vector(in, f.contacts, "friction coefficient");
  for (const double mu : f.mu)
    if (mu < 0) in.fail("a friction coefficient is not negative");
  const Index rest = in.words_left();
  if (rest == Index(n) + 1 || (rest == 1 && n != 1)) in.number("a flag");
  if (rest >= Index(n) && n > 0) f.solution = read_vector(in, n, "solution");
  if (!in.at_end()) in.fail("the problem has ended, the file has not");
  return f;
}

namespace {

void write_number(std::string& text, double v) {
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.17g", v);
  text += digits;
}

void write_list(std::string& text, std::span<const double> values) {
  for (const double v : values) write_number(text, v), text += ' ';
  text += '\n';
}

void write_block_matrix(std::string& text, const BlockMatrix& W) {
  const std::string n = std::to_string(W.size()), blocks = std::to_string(W.blocks());
  const auto list = [&](auto begin, auto end) {
    for (; begin != end; ++begin) text += std::to_string(*begin) + '\t';
    text += '\n';
  };
  text += "1\n" + n + '\n' + n + '\n' + std::to_string(W.column.size()) + '\n' + blocks + '\n' + blocks + '\n';
  list(W.start.begin() + 1, W.start.end());
  list(W.start.begin() + 1, W.start.end());
  text += std::to_string(W.row_begin.size()) + '\n' + std::to_string(W.column.size()) + '\n';
  list(W.row_begin.begin(), W.row_begin.end());
  list(W.column.begin(), W.column.end());
  for (int i = 0; i < W.blocks(); ++i)
    for (int k = W.row_begin[Index(i)]; k < W.row_begin[Index(i) + 1]; ++k) {
      const int rows = W.size_of(i), columns = W.size_of(W.column[Index(k)]);
      text += std::to_string(k) + '\n';
      for (int b = 0; b < columns; ++b)
        for (int a = 0; a < rows; ++a)
          write_number(text, W.data[Index(W.data_begin[Index(k)] + a * columns + b)]), text += '\n';
    }
}

}  // namespace

std::string write_contact_file(const ConeProblem& problem, std::span<const double> solution) {
  const int dimension = problem.blocks.empty() ? 3 : problem.blocks[0].size;
  std::vector<double> mu;
  for (const ConeBlock& block : problem.blocks) {
    if (!block.contact || block.size != dimension || block.groups != 1 || block.group[0].size != dimension - 1)
      throw Error("contact problem", "only contacts with one normal and two tangents have a place in this format");
    mu.push_back(block.group[0].mu);
  }
  std::string text = std::to_string(dimension) + '\n' + std::to_string(problem.blocks.size()) + '\n';
  write_block_matrix(text, problem.W);
  write_list(text, problem.q);
  write_list(text, mu);
  if (!solution.empty()) write_list(text, solution);
  return text;
}

}  // namespace rigor
