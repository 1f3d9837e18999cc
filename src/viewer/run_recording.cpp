#include "viewer/run_recording.h"

namespace rigor::viewer {

RunRecording::RunRecording(std::string_view scene_text, const Simulation& start)
    : recorder_(record_into(bytes_, scene_text)) {
  recorder_->record(start);
}

void RunRecording::record(const Simulation& simulation) {
  if (ended_) return;
  recorder_->record(simulation);
  ++steps_;
  if (bytes_.size() > kMostBytes) end();
}

void RunRecording::end() {
  if (!ended_) recorder_->finish();
  ended_ = true;
}

std::string RunRecording::take() {
  end();
  return std::move(bytes_);
}

}  // namespace rigor::viewer
