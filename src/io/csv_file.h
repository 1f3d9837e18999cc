#pragma once

#include "io/recording_frame.h"
#include "io/recording_output.h"

namespace rigor {

/// A CSV recording, written step by step.
class CsvFile {
 public:
  explicit CsvFile(const std::string& path) : file_(path) { file_.write(csv_header()); }

  void add(const RecordedStep& step, const std::vector<std::string>& names) {
    lines_.clear();
    append_csv(lines_, step, names);
    file_.write(lines_);
  }
  void finish() { file_.finish(); }

 private:
  OutputFile file_;
  std::string lines_;
};

}  // namespace rigor
