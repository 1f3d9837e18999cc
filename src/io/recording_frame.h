// The recorded data of a simulation, independent of the format.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rigor/recording.h"

namespace rigor {

/// Body names by their index in a recording; grows as bodies appear.
class NameTable {
 public:
  std::uint32_t index(const std::string& name);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

/// The bodies that are recorded: all active ones but the world body and the ground, which never move.
std::vector<BodyId> recorded_bodies(const World& world);
/// Fills `out` with the present state.
void capture(const Simulation& simulation, NameTable& names, RecordedStep& out);

std::unique_ptr<Recorder> make_csv_recorder(const std::string& path);
std::unique_ptr<Recorder> make_binary_recorder(const std::string& path, std::string_view scene_text);

/// Text as one field of a CSV file, quoted where RFC 4180 asks for it.
void append_csv_text(std::string& out, std::string_view text);
/// The first line of a CSV recording, and the lines of one step.
std::string csv_header();
void append_csv(std::string& out, const RecordedStep& step, const std::vector<std::string>& names);

}  // namespace rigor
