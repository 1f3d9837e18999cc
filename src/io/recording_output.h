// An output file that is either complete or does not exist.
//
// Bytes go to a new file `<path>.part` (`.part2`, … where that is taken), which gets the final name only in finish(). A run that fails, or that the user stops,
// leaves no half-written file and does not touch an older file of the same name. Anything but a regular file
// (a pipe, /dev/null) cannot be replaced by a rename, so it is written directly.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace rigor {

class OutputFile {
 public:
  /// Error when the file cannot be written.
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Removes what was written, unless finish() was called.
  ~OutputFile();

  /// Throws std::runtime_error if writing fails.
  void write(std::string_view bytes);
  void finish();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // bytes written so far

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;     // as the user gave it
  std::string target_;   // with symbolic links followed
  std::string written_;  // the temporary file until finish()
  std::FILE* file_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace rigor
