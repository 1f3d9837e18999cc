// Restricts the files that a scene or a model may refer to: those in its own folder and below, unless all are allowed.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace rigor::models {

struct FileAccess {
  std::string folder = ".";  // of the file that refers to others
  bool allow_outside = false;
  std::map<std::string, std::string> packages = {};  // folders of package://NAME/…
  bool forbidden = false;                            // text without a file: it may refer to nothing
  bool can_be_allowed = false;  // --allow-outside exists for this kind of file: the message says so

  /// The path of a reference; Error if it leaves the folder or names an unknown package.
  std::string resolve(const std::string& reference) const;
};

}  // namespace rigor::models
