#include "cli/trace_file.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "io/json_text.h"

namespace rigor::cli {

TraceFile::TraceFile(const std::string& path, const std::string& title) : file_(path) {
  const Json name = {{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"tid", 1}, {"args", {{"name", title}}}};
  file_.write("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n" + name.dump());
}

void TraceFile::write(const std::vector<Profile::Span>& spans, std::uint64_t step) {
  std::string text;
  for (const Profile::Span& span : spans)
    fmt::format_to(std::back_inserter(text),
                   ",\n{{\"name\": \"{}\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": {:.3f}, \"dur\": {:.3f}, "
                   "\"args\": {{\"step\": {}}}}}",
                   stage_name(span.stage), 1e6 * span.begin, 1e6 * span.duration, step);
  file_.write(text);
}

void TraceFile::finish() {
  file_.write("\n]}\n");
  file_.finish();
}

}  // namespace rigor::cli
