// Reads a binary recording step by step, so that a long one need not fit into memory.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/recording.h"

namespace rigor {

/// Strict: a file that is truncated, damaged or continues after its end is an Error that names the position. Allocations are bounded
/// by the file's size and its counts, which are checked first.
class RecordingReader {
 public:
  explicit RecordingReader(const std::string& path);
  ~RecordingReader();

  /// True if the file begins like a binary recording.
  static bool recognizes(const std::string& path);

  const std::string& scene_text() const { return scene_text_; }
  const std::vector<std::string>& names() const { return names_; }  // as far as they were needed
  std::uint64_t file_size() const { return file_size_; }
  /// False after the last step.
  bool next(RecordedStep& step);

 private:
  class Payload;

  [[noreturn]] void damaged(const std::string& what) const;
  std::uint32_t next_chunk();
  void read_bytes(std::string& out, std::uint64_t count);
  void read_names();
  void read_step(RecordedStep& step);
  void read_body_list(Payload& payload);
  void read_numbers(std::string_view frame, RecordedStep& step);
  void read_end();
  void decompress(std::string_view frame, std::size_t size, std::string& out);

  std::string path_;
  std::ifstream file_;
  std::uint64_t file_size_ = 0, position_ = 0, chunk_start_ = 0;
  std::uint64_t checksum_ = 0, step_count_ = 0;
  std::string payload_, planes_;
  std::string scene_text_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> indices_;  // bodies of the last step
  std::vector<std::uint64_t> words_, difference_;
  bool same_bodies_ = false, ended_ = false;
};

}  // namespace rigor
