#include "io/file_access.h"

#include <algorithm>
#include <filesystem>

#include "io/json_text.h"
#include "rigor/error.h"

namespace rigor::models {

namespace {

namespace fs = std::filesystem;

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() || (std::next(end) == folder.end() && end->empty());
}

/// Follows symbolic links, so that a link cannot lead out of the folder.
fs::path real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  return error ? fs::absolute(path).lexically_normal() : real;
}

}  // namespace

std::string FileAccess::resolve(const std::string& reference) const {
  const std::string shown = "'" + short_text(reference) + "'";
  if (forbidden) throw Error("the file " + shown + " cannot be read: this text has no folder to look in");
  if (reference.empty()) throw Error("the name of a file is empty");
  if (reference.find('\0') != std::string::npos) throw Error("the name of a file has a zero byte");
  fs::path path;
  fs::path root = folder;
  for (const std::string scheme : {"package://", "model://"}) {
    if (!reference.starts_with(scheme)) continue;
    // Some files have three slashes, as file:/// has.
    const std::string rest =
        reference.substr(std::min(reference.find_first_not_of('/', scheme.size()), reference.size()));
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const auto found = packages.find(rest.substr(0, slash));
    if (rest.empty()) throw Error("the file " + shown + " names no package");
    if (found == packages.end())
      throw Error("the package of " + shown + " is unknown; --package " + short_text(rest.substr(0, slash)) +
                  "=FOLDER says where it is");
    root = found->second;
    path = root / rest.substr(std::min(slash + 1, rest.size()));
  }
  if (path.empty()) {
    const std::string plain = reference.starts_with("file://") ? reference.substr(7) : reference;
    if (plain.find("://") != std::string::npos)
      throw Error("the address " + shown + " is not a file; files and package:// are read");
    path = fs::path(plain).is_absolute() ? fs::path(plain) : root / plain;
  }
  if (!allow_outside && !is_below(real_path(path), real_path(root)))
    throw Error("the file " + shown + " lies outside of the folder of the file that names it" +
                (can_be_allowed ? "; --allow-outside reads it" : "; move or copy it there"));
  std::error_code error;
  if (fs::is_other(fs::status(path, error))) throw Error(shown + " is a device or a pipe, not a file");
  return path.string();
}

}  // namespace rigor::models
