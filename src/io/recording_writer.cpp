// Writes binary recordings; recording_format.h has the layout.
#include <zstd.h>

#include <functional>
#include <stdexcept>

#include "io/recording_format.h"
#include "io/recording_frame.h"
#include "io/recording_output.h"
#include "rigor/error.h"

namespace rigor {

using namespace rrec;

namespace {

// Higher levels gain little for shuffled differences and cost many times as much.
constexpr int kCompressionLevel = 3;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

/// The destination of the bytes.
struct Sink {
  std::string name;  // for messages
  std::function<void(std::string_view)> write;
  std::function<void()> finish;
};

class BinaryRecorder final : public Recorder {
 public:
  BinaryRecorder(Sink sink, std::string_view scene_text) : sink_(std::move(sink)) {
    std::string start(kMagic);
    append(start, kVersion);
    checksum_ = checksum(kChecksumStart, start);
    sink_.write(start);

    payload_ = scene_text;
    write_chunk(kScene);
  }

  void record(const Simulation& simulation) override {
    capture(simulation, names_, step_);
    write_new_names();
    append(payload_, step_.step);
    append(payload_, step_.time);
    append(payload_, step_.hash);
    const bool same = append_body_list();
    append_numbers(same);
    write_chunk(kStep);
    ++step_count_;
  }

  void finish() override {
    if (finished_) return;
    finished_ = true;
    append(payload_, step_count_);
    write_chunk(kEnd);
    sink_.finish();
  }

 private:
  void write_new_names() {
    const std::vector<std::string>& names = names_.names();
    if (names_written_ == names.size()) return;
    for (; names_written_ < names.size(); ++names_written_) {
      const std::string& name = names[names_written_];
      append(payload_, static_cast<std::uint32_t>(name.size()));
      payload_ += name;
    }
    write_chunk(kNames);
  }

  /// True if the list is that of the step before.
  bool append_body_list() {
    indices_.clear();
    for (const RecordedBody& body : step_.bodies) indices_.push_back(body.name);
    const bool same = step_count_ > 0 && indices_ == previous_indices_;
    append(payload_, static_cast<std::uint8_t>(same ? 0 : 1));
    if (same) return true;
    append(payload_, static_cast<std::uint32_t>(indices_.size()));
    for (const std::uint32_t index : indices_) append(payload_, index);
    previous_indices_ = indices_;
    return false;
  }

  void append_numbers(bool same_bodies) {
    const std::size_t n = step_.bodies.size();
    words_.resize(n * kComponents);
    for (std::size_t i = 0; i < n; ++i) {
      const auto numbers = numbers_of(step_.bodies[i]);
      for (std::size_t c = 0; c < kComponents; ++c) words_[c * n + i] = std::bit_cast<std::uint64_t>(numbers[c]);
    }
    difference_ = words_;
    if (same_bodies)
      for (std::size_t k = 0; k < words_.size(); ++k) difference_[k] ^= previous_words_[k];
    previous_words_ = words_;
    shuffle(difference_, planes_);
    append_compressed(planes_);
  }

  void append_compressed(std::string_view bytes) {
    const std::size_t start = payload_.size();
    payload_.resize(start + ZSTD_compressBound(bytes.size()));
    const std::size_t size = ZSTD_compressCCtx(context_.get(), payload_.data() + start, payload_.size() - start,
                                               bytes.data(), bytes.size(), kCompressionLevel);
    if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
    payload_.resize(start + size);
  }

  void write_chunk(ChunkKind kind) {
    if (payload_.size() > kLongestPayload) throw Error(sink_.name, "the scene or a step is too large to be recorded");
    std::string head;
    append(head, std::uint32_t{kind});
    append(head, static_cast<std::uint32_t>(payload_.size()));
    checksum_ = checksum(checksum(checksum_, head), payload_);
    append(payload_, checksum_);
    sink_.write(head);
    sink_.write(payload_);
    payload_.clear();
  }

  Sink sink_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context_{ZSTD_createCCtx()};
  NameTable names_;
  std::size_t names_written_ = 0;
  RecordedStep step_;
  std::vector<std::uint32_t> indices_, previous_indices_;
  Columns words_, previous_words_, difference_;
  std::string planes_, payload_;
  std::uint64_t checksum_ = 0, step_count_ = 0;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Recorder> make_binary_recorder(const std::string& path, std::string_view scene_text) {
  const auto file = std::make_shared<OutputFile>(path);
  return std::make_unique<BinaryRecorder>(
      Sink{path, [file](std::string_view bytes) { file->write(bytes); }, [file] { file->finish(); }}, scene_text);
}

std::unique_ptr<Recorder> record_into(std::string& bytes, std::string_view scene_text) {
  bytes.clear();
  return std::make_unique<BinaryRecorder>(Sink{"recording", [&bytes](std::string_view more) { bytes += more; }, [] {}},
                                          scene_text);
}

}  // namespace rigor
