// Snapshots in files (.rsnap): a run that was saved continues bit for bit in another process. docs/snapshots.md has the layout.
#pragma once

#include <string>
#include <string_view>

#include "rigor/snapshot.h"

namespace rigor {

struct SavedRun {
  Snapshot snapshot;
  std::string name, description;  // of the scene
  double duration = 10;           // s, of the scene
};

/// Functions of the program cannot be written: a user-written force is an Error, collision filters and user-written validators
/// have to be set again after reading.
void write_snapshot_file(const std::string& path, const SavedRun& run);
/// Everything in the file is checked; an inconsistency is an Error that begins with the file's name.
SavedRun read_snapshot_file(const std::string& path);

/// The same without a file.
std::string write_snapshot(const SavedRun& run);
SavedRun read_snapshot(std::string_view bytes);

}  // namespace rigor
