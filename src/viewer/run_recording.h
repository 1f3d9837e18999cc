// A run being recorded, bit for bit: what `rigor run --record` writes to a file, kept in memory until a page fetches it.
//
// A replay simulates the scene again, so nothing that hands do can be in a recording: it ends there, and keeps what it has.
#pragma once

#include <memory>
#include <string>

#include "rigor/recording.h"

namespace rigor::viewer {

class RunRecording {
 public:
  /// `start` is what a replay makes of the text.
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

/// RFC 4648, 4: how bytes travel in a message of text.
std::string base64(std::string_view bytes);

}  // namespace rigor::viewer
