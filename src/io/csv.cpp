// Recordings as text: one line per body and recorded step, quoted by the rules of RFC 4180.
#include <fmt/format.h>

#include <iterator>
#include <ostream>

#include "io/csv_file.h"
#include "io/recording_format.h"

namespace rigor {

void append_csv_text(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

namespace {

/// 17 significant digits read back to the same bits.
void append_number(std::string& out, double value) { fmt::format_to(std::back_inserter(out), "{:.17g}", value); }

class CsvRecorder final : public Recorder {
 public:
  explicit CsvRecorder(const std::string& path) : file_(path) {}

  void record(const Simulation& simulation) override {
    capture(simulation, names_, step_);
    file_.add(step_, names_.names());
  }
  void finish() override { file_.finish(); }

 private:
  CsvFile file_;
  NameTable names_;
  RecordedStep step_;
};

}  // namespace

std::string csv_header() { return "time,body,x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n"; }

void append_csv(std::string& out, const RecordedStep& step, const std::vector<std::string>& names) {
  for (const RecordedBody& body : step.bodies) {
    append_number(out, step.time);
    out += ',';
    append_csv_text(out, names.at(body.name));
    for (const double number : rrec::numbers_of(body)) {
      out += ',';
      append_number(out, number);
    }
    out += '\n';
  }
}

std::unique_ptr<Recorder> make_csv_recorder(const std::string& path) { return std::make_unique<CsvRecorder>(path); }

void write_csv(const Recording& recording, std::ostream& out) {
  out << csv_header();
  std::string text;
  for (const RecordedStep& step : recording.steps) {
    text.clear();
    append_csv(text, step, recording.names);
    out << text;
  }
}

}  // namespace rigor
