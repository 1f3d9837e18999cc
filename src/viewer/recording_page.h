// A binary recording as a page that plays it.
#pragma once

#include <string>

namespace rigor::viewer {

struct RecordingPage {
  std::string html;
  std::string note;  // a sentence: from when on only poses are shown; empty if the run could be simulated again
};

/// Simulates the recorded scene again, so that contacts and forces can be shown. If the state differs from the recorded one (another version of the program, or a run
/// that was edited in the viewer), bodies have the recorded poses from then on. Error if the file is damaged.
RecordingPage recording_page(const std::string& path);

}  // namespace rigor::viewer
