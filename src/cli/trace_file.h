// The stages of every step in the format of Chrome's tracing: an array of events with name, begin and duration in µs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/recording_output.h"
#include "rigor/profile.h"

namespace rigor::cli {

class TraceFile {
 public:
  /// Error when the file cannot be written.
  TraceFile(const std::string& path, const std::string& title);
  /// The spans of one step.
  void write(const std::vector<Profile::Span>& spans, std::uint64_t step);
  void finish();

 private:
  OutputFile file_;
};

}  // namespace rigor::cli
