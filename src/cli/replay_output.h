// `--replay FILE.html` of `run` and `compare`: the run as a page that plays in any browser.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rigor/scene.h"

namespace rigor::cli {

class ReplayOutput {
 public:
  /// Opens the file. std::runtime_error when the program was built without the viewer or its page.
  ReplayOutput(const std::string& path, const Scene& scene, std::vector<std::string> labels = {});
  ~ReplayOutput();
  /// Before the first step and after every one.
  void see(std::span<const Simulation> runs);
  void write();
  /// The file takes its final name.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Error when the name does not end in .html.
void check_replay_name(const std::string& path);

}  // namespace rigor::cli
