#include "cli/replay_output.h"

#include <stdexcept>

#include "cli/command.h"
#include "io/recording_output.h"
#include "io/scene_limits.h"
#include "rigor/error.h"

#ifdef RIGOR_HAVE_VIEWER
#include "viewer/replay_page.h"
#endif

namespace rigor::cli {

void check_replay_name(const std::string& path) {
  if (!path.empty() && !path.ends_with(".html"))
    throw Error("--replay", "the name must end in .html, got '" + short_text(path) + "'");
}

#ifdef RIGOR_HAVE_VIEWER

struct ReplayOutput::Impl {
  viewer::ReplayPage page;
  OutputFile file;
};

ReplayOutput::ReplayOutput(const std::string& path, const Scene& scene, std::vector<std::string> labels)
    : impl_(new Impl{viewer::ReplayPage(scene, std::move(labels)), OutputFile(path)}) {}
ReplayOutput::~ReplayOutput() = default;
void ReplayOutput::see(std::span<const Simulation> runs) { impl_->page.see(runs); }
void ReplayOutput::write() { impl_->file.write(impl_->page.html()); }
void ReplayOutput::finish() { impl_->file.finish(); }

#else

struct ReplayOutput::Impl {};

ReplayOutput::ReplayOutput(const std::string&, const Scene&, std::vector<std::string>) {
  throw std::runtime_error(
      "--replay needs the viewer, and this program was built without it; install libboost-dev and build again");
}
ReplayOutput::~ReplayOutput() = default;
void ReplayOutput::see(std::span<const Simulation>) {}
void ReplayOutput::write() {}
void ReplayOutput::finish() {}

#endif

}  // namespace rigor::cli
