// Records a run bit for bit, as `rigor run --record` does, in memory until a page fetches it.
//
// A replay simulates the scene again, so a recording cannot contain changes by the user: it ends at the first one.
#pragma once

#include <memory>
#include <string>

#include "rigor/recording.h"

namespace rigor::viewer {

class RunRecording {
 public:
  /// `start` is the simulation that a replay makes from the text.
  RunRecording(std::string_view scene_text, const Simulation& start);
  /// After a step. Ends by itself when it has grown to kMostBytes.
  void record(const Simulation& simulation);
  void end();
  bool ended() const { return ended_; }
  std::uint64_t steps() const { return steps_; }
  std::size_t size() const { return bytes_.size(); }
  /// The whole file; ends the recording.
  std::string take();

  static constexpr std::size_t kMostBytes = 48u
                                            << 20;  // it travels as text, a third longer, within Server::kMaxBacklog

 private:
  std::string bytes_;
  std::unique_ptr<Recorder> recorder_;  // writes to bytes_
  std::uint64_t steps_ = 0;
  bool ended_ = false;
};

}  // namespace rigor::viewer
