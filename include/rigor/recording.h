// Recordings of a run: readable (CSV) or compact and exact (binary, replays bit for bit).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/simulation.h"

namespace rigor {

/// One body in one recorded step, world frame.
struct RecordedBody {
  std::uint32_t name = 0;  // index into Recording::names
  Vec3 position;
  Quat orientation;
  Vec3 velocity, angular_velocity;

  bool operator==(const RecordedBody&) const = default;
};
struct RecordedStep {
  std::uint64_t step = 0;
  double time = 0;
  std::uint64_t hash = 0;  // of the simulation at that time
  std::vector<RecordedBody> bodies;

  bool operator==(const RecordedStep&) const = default;
};

/// Writes the steps of a run. The file appears under its name with finish(); without it no file remains.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void record(const Simulation& simulation) = 0;
  virtual void finish() = 0;
};

/// CSV when the name ends in .csv, binary otherwise. `scene_text` (JSON) is stored in a binary recording, so that a replay can
/// simulate again and compare hashes. Error when the file cannot be written.
std::unique_ptr<Recorder> open_recorder(const std::string& path, std::string_view scene_text);

/// A binary recording in memory: `bytes` grows with every step and is complete after finish(). It has to outlive the recorder.
std::unique_ptr<Recorder> record_into(std::string& bytes, std::string_view scene_text);

/// A binary recording, read completely. Error with the position if it is damaged.
struct Recording {
  std::string scene_text;
  std::vector<std::string> names;
  std::vector<RecordedStep> steps;
};
Recording read_recording(const std::string& path);
/// Returns the same lines that a CSV recorder writes.
void write_csv(const Recording& recording, std::ostream& out);

}  // namespace rigor
