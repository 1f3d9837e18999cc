#include "io/recording_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "rigor/error.h"

namespace rigor {

namespace fs = std::filesystem;

namespace {

std::string reason(int error) { return std::strerror(error); }

/// The final file: a symbolic link is followed, and the file that it points to is replaced.
std::string followed(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target.string();
}

/// Opens a new file `<target>.part`, or `.part2` and so on if that name is taken; never an existing file. Returns null and sets errno
/// if that fails.
std::FILE* create_beside(const std::string& target, std::string& name) {
  constexpr int kMostNames = 1000;
  for (int i = 1; i <= kMostNames; ++i) {
    name = target + ".part" + (i > 1 ? std::to_string(i) : "");
    std::FILE* file = std::fopen(name.c_str(), "wbx");
    if (file || errno != EEXIST) return file;
  }
  return nullptr;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), target_(followed(path)) {
  if (path.empty()) throw Error("the name of an output file is empty");
  std::error_code error;
  const fs::file_status status = fs::status(target_, error);
  if (fs::is_directory(status)) throw Error("cannot write '" + path + "': it is a directory");
  // A rename would replace even a read-only file.
  if (fs::exists(status) && ::access(target_.c_str(), W_OK) != 0)
    throw Error("cannot write '" + path + "': " + reason(errno));
  const bool direct = fs::exists(status) && !fs::is_regular_file(status);
  written_ = target_;
  file_ = direct ? std::fopen(target_.c_str(), "wb") : create_beside(target_, written_);
  if (!file_) throw Error("cannot write '" + path + "': " + reason(errno));
}

OutputFile::~OutputFile() {
  if (!file_) return;
  std::fclose(file_);
  if (written_ != target_) std::remove(written_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  if (!file_) throw std::logic_error("'" + path_ + "' is finished already");
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(errno);
  size_ += bytes.size();
}

void OutputFile::finish() {
  if (!file_) return;
  if (std::fflush(file_) != 0) fail(errno);
  const int closed = std::fclose(file_);
  const int close_error = errno;
  file_ = nullptr;
  const bool renames = written_ != target_;
  if (closed == 0 && (!renames || std::rename(written_.c_str(), target_.c_str()) == 0)) return;
  const int error = closed == 0 ? errno : close_error;
  if (renames) std::remove(written_.c_str());
  fail(error);
}

void OutputFile::fail(int error) const { throw std::runtime_error("writing '" + path_ + "' failed: " + reason(error)); }

}  // namespace rigor
