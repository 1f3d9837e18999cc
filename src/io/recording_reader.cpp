#include "io/recording_reader.h"

#include <zstd.h>

#include <filesystem>

#include "io/recording_format.h"
#include "rigor/error.h"

namespace rigor {

using namespace rrec;

/// Reads numbers from a chunk's payload.
class RecordingReader::Payload {
 public:
  Payload(const RecordingReader& reader, std::string_view bytes) : reader_(reader), rest_(bytes) {}

  std::string_view take(std::size_t count) {
    if (count > rest_.size()) reader_.damaged("a chunk ends too early");
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  template <class T> T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view rest() const { return rest_; }

 private:
  const RecordingReader& reader_;
  std::string_view rest_;
};

RecordingReader::RecordingReader(const std::string& path) : path_(path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw Error("cannot read '" + path + "': there is no such file");
  if (!std::filesystem::is_regular_file(path, error)) throw Error("cannot read '" + path + "': it is not a file");
  file_size_ = std::filesystem::file_size(path, error);
  file_.open(path, std::ios::binary);
  if (error || !file_) throw Error("cannot read '" + path + "'");

  std::string start;
  if (file_size_ < kMagic.size() + sizeof kVersion) throw Error(path, "not a recording (.rrec)");
  read_bytes(start, kMagic.size() + sizeof kVersion);
  if (!start.starts_with(kMagic)) throw Error(path, "not a recording (.rrec)");
  const auto version = Payload(*this, std::string_view(start).substr(kMagic.size())).number<std::uint32_t>();
  if (version != kVersion)
    throw Error(path, "version " + std::to_string(version) + " of the format is not known, only version " +
                          std::to_string(kVersion));
  checksum_ = checksum(kChecksumStart, start);
  if (next_chunk() != kScene) damaged("it does not begin with a scene");
  scene_text_ = payload_;
}

RecordingReader::~RecordingReader() = default;

bool RecordingReader::recognizes(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;  // a pipe would have to be waited for
  std::ifstream file(path, std::ios::binary);
  char start[kMagic.size()] = {};
  file.read(start, sizeof start);
  return file && std::string_view(start, sizeof start) == kMagic;
}

void RecordingReader::damaged(const std::string& what) const {
  throw Error(path_, "the recording is damaged at byte " + std::to_string(chunk_start_) + " (after " +
                         std::to_string(step_count_) + " complete steps): " + what);
}

void RecordingReader::read_bytes(std::string& out, std::uint64_t count) {
  if (count > file_size_ - position_) damaged("the file ends too early");
  out.resize(count);
  file_.read(out.data(), static_cast<std::streamsize>(count));
  if (!file_) damaged("the file cannot be read");
  position_ += count;
}

/// Reads the payload into payload_ and returns the kind.
std::uint32_t RecordingReader::next_chunk() {
  chunk_start_ = position_;
  std::string head, tail;
  read_bytes(head, 8);
  Payload fields(*this, head);
  const auto kind = fields.number<std::uint32_t>();
  const auto size = fields.number<std::uint32_t>();
  read_bytes(payload_, size);
  read_bytes(tail, 8);
  checksum_ = checksum(checksum(checksum_, head), payload_);
  if (Payload(*this, tail).number<std::uint64_t>() != checksum_) damaged("a checksum does not match");
  return kind;
}

bool RecordingReader::next(RecordedStep& step) {
  while (!ended_) {
    switch (next_chunk()) {
      case kNames: read_names(); break;
      case kStep: read_step(step); return true;
      case kEnd: read_end(); break;
      default: damaged("a chunk of an unknown kind");
    }
  }
  return false;
}

void RecordingReader::read_names() {
  Payload payload(*this, payload_);
  while (!payload.rest().empty()) {
    const auto size = payload.number<std::uint32_t>();
    names_.emplace_back(payload.take(size));
  }
}

void RecordingReader::read_step(RecordedStep& step) {
  Payload payload(*this, payload_);
  step.step = payload.number<std::uint64_t>();
  step.time = payload.number<double>();
  step.hash = payload.number<std::uint64_t>();
  read_body_list(payload);
  read_numbers(payload.rest(), step);
  ++step_count_;
}

void RecordingReader::read_body_list(Payload& payload) {
  const auto flag = payload.number<std::uint8_t>();
  if (flag > 1) damaged("a step with an unknown flag");
  same_bodies_ = flag == 0;
  if (same_bodies_) {
    if (step_count_ == 0) damaged("its first step lists no bodies");
    return;
  }
  const auto count = payload.number<std::uint32_t>();
  if (count > payload.rest().size() / sizeof(std::uint32_t)) damaged("a chunk ends too early");
  indices_.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    indices_.push_back(payload.number<std::uint32_t>());
    if (indices_.back() >= names_.size()) damaged("a body without a name");
  }
}

void RecordingReader::read_numbers(std::string_view frame, RecordedStep& step) {
  const std::size_t n = indices_.size();
  decompress(frame, n * kComponents * sizeof(double), planes_);
  unshuffle(planes_, difference_);
  if (same_bodies_)
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] ^= difference_[k];
  else
    words_ = difference_;

  step.bodies.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = [&](std::size_t c) { return std::bit_cast<double>(words_[c * n + i]); };
    step.bodies[i] = {indices_[i],
                      {at(0), at(1), at(2)},
                      {at(3), at(4), at(5), at(6)},
                      {at(7), at(8), at(9)},
                      {at(10), at(11), at(12)}};
  }
}

void RecordingReader::read_end() {
  if (Payload(*this, payload_).number<std::uint64_t>() != step_count_) damaged("steps are missing");
  if (position_ != file_size_) {
    chunk_start_ = position_;
    damaged("the file goes on after its end");
  }
  ended_ = true;
}

void RecordingReader::decompress(std::string_view frame, std::size_t size, std::string& out) {
  // The frame contains its own size, which is checked first, so that a forged one cannot cost memory.
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size) damaged("compressed data of a wrong size");
  out.resize(size);
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) || got != size) damaged("compressed data that cannot be expanded");
}

Recording read_recording(const std::string& path) {
  // Steps in which nothing moves take almost no space in a file, so its size does not bound its contents.
  constexpr std::size_t kMostStates = 100'000'000;
  RecordingReader reader(path);
  Recording recording;
  RecordedStep step;
  std::size_t states = 0;
  while (reader.next(step)) {
    states += step.bodies.size() + 1;
    if (states > kMostStates) throw Error(path, "the recording is too long to be read at once");
    recording.steps.push_back(step);
  }
  recording.scene_text = reader.scene_text();
  recording.names = reader.names();
  return recording;
}

}  // namespace rigor
