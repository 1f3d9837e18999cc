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

std::string base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k) word = word << 8 | (k < left ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= left ? kDigits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

}  // namespace rigor::viewer
