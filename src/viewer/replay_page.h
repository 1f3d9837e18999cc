// A run as one HTML file: the viewer's page, the scene and its frames. It plays without the program and without a network.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "rigor/scene.h"
#include "viewer/frame.h"

namespace rigor::viewer {

/// One to four simulations of a scene in lock-step, seen after every step.
class ReplayPage {
 public:
  /// `labels` name the simulations; without them the page names their methods. std::runtime_error when the program was built without
  /// the page.
  explicit ReplayPage(Scene scene, std::vector<std::string> labels = {});
  /// Keeps the state if a frame is due: kFrameRate per simulated second at first, and kFewest over a scene that is short. Where the frames would take more than kMostBytes,
  /// every other one is dropped and the rate halved.
  void see(std::span<const Simulation> runs);
  /// The file; at least one state must have been seen.
  std::string html() const;

  std::size_t frames() const { return frames_.size(); }

  static constexpr double kFewest = 120;                 // frames, as far as there are steps
  static constexpr double kFrameRate = 30;               // per simulated second
  static constexpr std::size_t kMostBytes = 24'000'000;  // of all frames, before base64

 private:
  void begin(std::span<const Simulation> runs);
  void thin_out();

  Scene scene_;
  std::vector<std::string> labels_;
  std::string description_, methods_, state_;  // messages as JSON text
  std::vector<std::string> frames_;
  std::size_t bytes_ = 0;
  double interval_;  // s
  double due_ = 0;   // s, of the next frame
  FrameOptions options_;
};

/// std::runtime_error, with what to do, when the program was built without the page.
void require_page();

}  // namespace rigor::viewer
