// Targets of motors over time in scene files.
#include <algorithm>
#include <iterator>

#include "io/csv_column.h"
#include "io/file_access.h"
#include "io/scene_parts.h"
#include "rigor/error.h"

namespace rigor {

namespace {

void read_keys(const JsonReader& r, Drive& drive) {
  if (r.size() == 0) r.fail_expected("a list of [time, target]");
  for (std::size_t i = 0; i < r.size(); ++i) {
    const JsonReader key = r.item(i);
    const std::vector<double> pair = key.numbers(2, kPositionRange);
    drive.keys.push_back({pair[0], pair[1]});
  }
}

void read_sine(const JsonReader& r, Drive& drive) {
  r.only({"offset", "amplitude", "frequency", "phase"});
  r.read("offset", drive.offset, kPositionRange);
  r.read("amplitude", drive.amplitude, kPositionRange);
  r.read("frequency", drive.frequency, kPositionRange);
  r.read("phase", drive.phase, kPositionRange);
}

/// A column of a table becomes keys with straight lines between them.
void read_csv(const JsonReader& r, Drive& drive) {
  r.only({"file", "column", "time"});
  const JsonReader file = r.at("file"), column = r.at("column");
  const auto time = r.find("time");
  const models::FileAccess none{.forbidden = true};
  const CsvColumns table = located(file, [&] {
    const std::string path = (r.files() ? *r.files() : none).resolve(file.name());
    return read_csv_columns(read_file(path), time ? time->name() : "time", column.name());
  });
  if (table.first.empty()) file.fail("the table has no rows");
  drive.smooth = false;
  for (std::size_t i = 0; i < table.first.size(); ++i) drive.keys.push_back({table.first[i], table.second[i]});
}

Drive::Follow read_follow(const JsonReader& r) {
  r.only({"joint", "axis", "ratio", "offset"});
  Drive::Follow follow;
  follow.joint = r.at("joint").name();
  if (const auto axis = r.find("axis")) follow.axis = read_axis_number(*axis, -1);
  r.read("ratio", follow.ratio, kPositionRange);
  r.read("offset", follow.offset, kPositionRange);
  return follow;
}

}  // namespace

int read_axis_number(const JsonReader& axis, int least) {
  if (!axis.is_text()) return static_cast<int>(axis.integer(least, 5));
  const std::string name = axis.name();
  const auto found = std::find(std::begin(kAxisNames), std::end(kAxisNames), name);
  if (found == std::end(kAxisNames)) axis.fail_expected("x, y, z, rx, ry, rz or their number");
  return static_cast<int>(found - std::begin(kAxisNames));
}

Drive read_drive(const JsonReader& r, const World& world) {
  r.only({"joint", "axis", "keys", "smooth", "repeat", "sine", "csv", "follow"});
  Drive drive;
  PartReader parts(r);
  parts.read([&] { drive.joint = r.at("joint").name(); });
  if (const auto axis = r.find("axis")) parts.read([&] { drive.axis = read_axis_number(*axis, -1); });
  const auto keys = r.find("keys"), sine = r.find("sine"), csv = r.find("csv"), follow = r.find("follow");
  if (keys.has_value() + sine.has_value() + csv.has_value() + follow.has_value() != 1)
    parts.read([&] { r.fail("give either 'keys', 'sine', 'csv' or 'follow'"); });
  parts.read([&] {
    if (keys) read_keys(*keys, drive);
    if (sine) read_sine(*sine, drive);
    if (csv) read_csv(*csv, drive);
    if (follow) drive.follow = read_follow(*follow);
  });
  r.read("smooth", drive.smooth);
  r.read("repeat", drive.repeat);
  parts.finish();
  located(r, [&] { driven_by({drive}, world); });
  return drive;
}

}  // namespace rigor
