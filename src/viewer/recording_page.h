// A binary recording as a page that plays it.
#pragma once

#include <string>

namespace rigor::viewer {

struct RecordingPage {
  std::string html;
  std::string note;  // a sentence: from when on only poses are shown; empty if the run could be simulated again
};

/// Simulates the recorded scene again, so that contacts and forces are there to be seen. Where the state differs from the recorded one (another version of the program,
/// a run that was touched in the viewer) bodies are put where the recording has them from then on. Error if the file is damaged.
RecordingPage recording_page(const std::string& path);

}  // namespace rigor::viewer
