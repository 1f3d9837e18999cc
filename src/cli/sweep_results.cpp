#include "cli/sweep_results.h"

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "rigor/error.h"

namespace rigor::cli {

namespace {

constexpr int kPatience = 60'000;       // ms, that a process waits for the lock of the file
constexpr std::int64_t kSilence = 180;  // s without a heartbeat after which a process counts as gone

constexpr const char* kTables =
    "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS scenes(scene TEXT PRIMARY KEY, hash TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS cells(number INTEGER PRIMARY KEY, scene TEXT, method TEXT, parameters TEXT, seed "
    "INTEGER,"
    " scene_hash TEXT, method_json TEXT, version TEXT, verdict TEXT, steps INTEGER, state_hash TEXT, momentum_drift "
    "REAL,"
    " energy_excess REAL, penetration REAL, joint_error REAL, report TEXT);"
    "CREATE TABLE IF NOT EXISTS figures(number INTEGER, place INTEGER, name TEXT, unit TEXT, value REAL, tolerance "
    "REAL,"
    " PRIMARY KEY(number, place));"
    "CREATE TABLE IF NOT EXISTS times(number INTEGER PRIMARY KEY, seconds REAL);"
    "CREATE TABLE IF NOT EXISTS claims(number INTEGER PRIMARY KEY, owner TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS owners(owner TEXT PRIMARY KEY, beat INTEGER NOT NULL);";

/// One statement with its values bound from left to right.
class Statement {
 public:
  Statement(sqlite3* file, const char* sql) : file_(file) {
    if (sqlite3_prepare_v2(file, sql, -1, &statement_, nullptr) != SQLITE_OK) throw Error(sqlite3_errmsg(file));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(const std::string& text) {
    sqlite3_bind_text(statement_, ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
    return *this;
  }
  Statement& bind(std::uint64_t number) {
    sqlite3_bind_int64(statement_, ++bound_, static_cast<std::int64_t>(number));
    return *this;
  }
  Statement& bind(double number) {
    sqlite3_bind_double(statement_, ++bound_, number);
    return *this;
  }
  /// False: there is no further row.
  bool step() {
    const int status = sqlite3_step(statement_);
    if (status != SQLITE_ROW && status != SQLITE_DONE) throw Error(sqlite3_errmsg(file_));
    return status == SQLITE_ROW;
  }
  std::string text(int column) const {
    const unsigned char* value = sqlite3_column_text(statement_, column);
    return value ? reinterpret_cast<const char*>(value) : "";
  }
  std::int64_t whole(int column) const { return sqlite3_column_int64(statement_, column); }
  double number(int column) const { return sqlite3_column_double(statement_, column); }

 private:
  sqlite3* file_;
  sqlite3_stmt* statement_ = nullptr;
  int bound_ = 0;
};

std::string this_process() {
  char host[256] = "host";
  gethostname(host, sizeof host - 1);
  return std::string(host) + ":" + std::to_string(getpid());
}

bool is_running(const std::string& process) {
  const long number = std::strtol(process.c_str(), nullptr, 10);
  return number > 0 && (kill(static_cast<pid_t>(number), 0) == 0 || errno == EPERM);
}

}  // namespace

SweepResults::SweepResults(const std::string& path, Open how) : path_(path), owner_(this_process()) {
  if (how == Open::read && !std::filesystem::exists(path)) throw Error("'" + path + "'", "there is no such file");
  // Reading may have to undo what a killed process has left half written.
  const int flags = SQLITE_OPEN_READWRITE | (how == Open::read ? 0 : SQLITE_OPEN_CREATE);
  if (sqlite3_open_v2(path.c_str(), &file_, flags, nullptr) != SQLITE_OK) {
    const std::string why = sqlite3_errmsg(file_);
    sqlite3_close(file_);
    throw Error("'" + path + "'", why);
  }
  sqlite3_busy_timeout(file_, kPatience);
  try {
    if (how == Open::create_or_continue) create_tables();
    is_begun_ = how == Open::read;
    Statement(file_, "SELECT count(*) FROM cells").step();
  } catch (const Error& error) {
    sqlite3_close(file_);
    throw Error("'" + path + "'", std::string("it is not a result of a sweep (") + error.what() + ")");
  }
  check_pages();
}

/// In one transaction: several processes may create the file at the same time, and each of them sees all tables or none. SQLite would refuse at once,
/// without waiting, a transaction that begins by reading and then has to write while another one does.
void SweepResults::create_tables() {
  execute("BEGIN IMMEDIATE");
  {
    Statement tables(file_, "SELECT count(*), sum(name = 'cells') FROM sqlite_master WHERE type = 'table'");
    tables.step();
    if (tables.whole(0) > 0 && tables.whole(1) == 0) throw Error("it has tables of another program");
  }
  execute(kTables);
  execute("COMMIT");
}

/// SQLite writes into a file in place and keeps what was there in a journal until it has ended. A copy of the file alone, made meanwhile, is torn.
void SweepResults::check_pages() {
  std::string damage;
  try {
    Statement check(file_, "PRAGMA quick_check(1)");
    if (check.step() && check.text(0) != "ok") damage = check.text(0);
  } catch (const Error& error) {
    damage = error.what();
  }
  if (damage.empty()) return;
  sqlite3_close(file_);
  throw Error("'" + path_ + "'",
              "it is damaged, as a copy is that was made without its journal while a sweep wrote it (" + damage + ")");
}

SweepResults::~SweepResults() { sqlite3_close(file_); }

void SweepResults::execute(const char* sql) const {
  if (sqlite3_exec(file_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) throw Error(sqlite3_errmsg(file_));
}

std::string SweepResults::meta(const std::string& key) const {
  Statement statement(file_, "SELECT value FROM meta WHERE key = ?");
  if (statement.bind(key).step()) return statement.text(0);
  if (!is_begun_) return "";
  throw Error("'" + path_ + "'", "it is not a result of a sweep");
}

std::string SweepResults::limit() const {
  Statement statement(file_, "SELECT value FROM meta WHERE key = 'limit'");
  return statement.step() ? statement.text(0) : "";
}

SweepResults::Source SweepResults::source() const {
  Source source{meta("name"), meta("spec"), meta("version"), meta("cells"), limit(), {}};
  // Files of earlier versions have no such table.
  if (!Statement(file_, "SELECT 1 FROM sqlite_master WHERE name = 'scenes'").step()) return source;
  Statement scenes(file_, "SELECT scene, hash FROM scenes");
  while (scenes.step()) source.scenes[scenes.text(0)] = scenes.text(1);
  return source;
}

/// What the results of the file belong to instead; empty: nothing differs.
std::string SweepResults::difference(const Source& source) const {
  const Source old = this->source();
  if (!old.spec.empty() && (old.spec != source.spec || old.cells != source.cells)) return "another sweep";
  if (!old.version.empty() && old.version != source.version)
    return "another version of the program (" + old.version + ")";
  for (const auto& [scene, hash] : source.scenes)
    if (const auto before = old.scenes.find(scene); before != old.scenes.end() && before->second != hash)
      return "the scene '" + scene + "' as it was before it was changed";
  return "";
}

void SweepResults::begin(const Source& source) {
  is_begun_ = false;
  execute("BEGIN IMMEDIATE");
  const std::string different = difference(source);
  if (!different.empty()) {
    execute("ROLLBACK");
    throw Error("'" + path_ + "'", "it has results of " + different + "; give another file");
  }
  const std::pair<const char*, std::string> values[] = {{"name", source.name},
                                                        {"spec", source.spec},
                                                        {"version", source.version},
                                                        {"cells", source.cells},
                                                        {"limit", source.limit}};
  for (const auto& [key, value] : values)
    Statement(file_, "INSERT OR IGNORE INTO meta VALUES(?, ?)").bind(std::string(key)).bind(value).step();
  for (const auto& [scene, hash] : source.scenes)
    Statement(file_, "INSERT OR IGNORE INTO scenes VALUES(?, ?)").bind(scene).bind(hash).step();
  execute("DELETE FROM cells WHERE verdict = 'killed'");
  execute("COMMIT");
  is_begun_ = true;
  // A process that died may have had the same process id.
  Statement(file_, "DELETE FROM claims WHERE owner = ?").bind(owner_).step();
  beat();
}

void SweepResults::beat() {
  Statement(file_, "INSERT OR REPLACE INTO owners VALUES(?, ?)")
      .bind(owner_)
      .bind(static_cast<std::uint64_t>(std::time(nullptr)))
      .step();
}

/// A process of this machine is checked directly, those of other machines by their heartbeat.
bool SweepResults::has_living_owner(std::size_t number) const {
  Statement statement(file_,
                      "SELECT owners.owner, owners.beat FROM claims JOIN owners ON owners.owner = claims.owner "
                      "WHERE number = ?");
  if (!statement.bind(std::uint64_t{number}).step()) return false;
  const std::string owner = statement.text(0), here = owner_.substr(0, owner_.rfind(':') + 1);
  if (owner == owner_) return true;
  if (owner.starts_with(here) && !is_running(owner.substr(here.size()))) return false;
  return statement.whole(1) + kSilence > std::time(nullptr);
}

std::optional<std::size_t> SweepResults::claim(const std::vector<std::size_t>& wanted, std::size_t& from) {
  execute("BEGIN IMMEDIATE");
  std::optional<std::size_t> found;
  for (; from < wanted.size() && !found; ++from) {
    const std::uint64_t number = wanted[from];
    if (Statement(file_, "SELECT 1 FROM cells WHERE number = ?").bind(number).step()) continue;
    if (has_living_owner(number)) continue;
    Statement(file_, "INSERT OR REPLACE INTO claims VALUES(?, ?)").bind(number).bind(owner_).step();
    found = number;
  }
  execute("COMMIT");
  return found;
}

void SweepResults::put(const SweepRow& row) {
  execute("BEGIN IMMEDIATE");
  Statement(file_, "INSERT OR REPLACE INTO cells VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
      .bind(std::uint64_t{row.cell.number})
      .bind(row.cell.scene)
      .bind(row.cell.method)
      .bind(row.cell.parameters)
      .bind(row.cell.seed)
      .bind(row.scene_hash)
      .bind(row.method_json)
      .bind(row.version)
      .bind(row.verdict)
      .bind(row.steps)
      .bind(row.state_hash)
      .bind(row.momentum_drift)
      .bind(row.energy_excess)
      .bind(row.penetration)
      .bind(row.joint_error)
      .bind(row.report)
      .step();
  Statement(file_, "INSERT OR REPLACE INTO times VALUES(?, ?)")
      .bind(std::uint64_t{row.cell.number})
      .bind(row.seconds)
      .step();
  put_figures(row);
  Statement(file_, "DELETE FROM claims WHERE number = ?").bind(std::uint64_t{row.cell.number}).step();
  execute("COMMIT");
}

void SweepResults::put_figures(const SweepRow& row) {
  const std::uint64_t number = row.cell.number;
  Statement(file_, "DELETE FROM figures WHERE number = ?").bind(number).step();
  std::uint64_t place = 0;
  for (const SweepFigure& f : row.figures)
    Statement(file_, "INSERT INTO figures VALUES(?, ?, ?, ?, ?, ?)")
        .bind(number)
        .bind(place++)
        .bind(f.name)
        .bind(f.unit)
        .bind(f.value)
        .bind(f.tolerance)
        .step();
}

/// Files of earlier versions have no such table.
bool SweepResults::has_figures() const {
  return Statement(file_, "SELECT 1 FROM sqlite_master WHERE name = 'figures'").step();
}

std::vector<SweepFigure> SweepResults::figures_of(std::size_t number) const {
  std::vector<SweepFigure> figures;
  Statement s(file_, "SELECT name, unit, value, tolerance FROM figures WHERE number = ? ORDER BY place");
  s.bind(std::uint64_t{number});
  while (s.step()) figures.push_back({s.text(0), s.text(1), s.number(2), s.number(3)});
  return figures;
}

bool SweepResults::merge(const SweepRow& row) {
  if (row.verdict == kKilled) return false;
  Statement old(file_, "SELECT state_hash, verdict FROM cells WHERE number = ?");
  if (old.bind(std::uint64_t{row.cell.number}).step()) {
    if (old.text(0) != row.state_hash || old.text(1) != row.verdict)
      throw Error("cell " + std::to_string(row.cell.number), "two files have different results of it");
    return false;
  }
  put(row);
  return true;
}

void SweepResults::for_rows(const std::function<void(const SweepRow&)>& visit) const {
  Statement s(file_,
              "SELECT cells.number, scene, method, parameters, seed, scene_hash, method_json, version, verdict, steps, "
              "state_hash,"
              " momentum_drift, energy_excess, penetration, joint_error, report, times.seconds FROM cells"
              " LEFT JOIN times ON times.number = cells.number ORDER BY cells.number");
  const bool with_figures = has_figures();
  while (s.step()) {
    SweepRow row;
    row.cell = {static_cast<std::size_t>(s.whole(0)),   s.text(1), s.text(2), s.text(3),
                static_cast<std::uint64_t>(s.whole(4)), 0,         0};
    row.scene_hash = s.text(5);
    row.method_json = s.text(6);
    row.version = s.text(7);
    row.verdict = s.text(8);
    row.steps = static_cast<std::uint64_t>(s.whole(9));
    row.state_hash = s.text(10);
    row.momentum_drift = s.number(11);
    row.energy_excess = s.number(12);
    row.penetration = s.number(13);
    row.joint_error = s.number(14);
    row.report = s.text(15);
    row.seconds = s.number(16);
    if (with_figures) row.figures = figures_of(row.cell.number);
    visit(row);
  }
}

std::size_t SweepResults::killed() const {
  Statement statement(file_, "SELECT count(*) FROM cells WHERE verdict = 'killed'");
  statement.step();
  return static_cast<std::size_t>(statement.whole(0));
}

std::size_t SweepResults::done() const {
  Statement statement(file_, "SELECT count(*) FROM cells");
  statement.step();
  return static_cast<std::size_t>(statement.whole(0));
}

}  // namespace rigor::cli
