#include <fmt/format.h>

#include "cli/verbs.h"
#include "rigor/error.h"

#ifdef RIGOR_HAVE_VIEWER

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <thread>

#include "cli/method_options.h"
#include "cli/numbers.h"
#include "cli/scene_input.h"
#include "rigor/registry.h"
#include "rigor/scene.h"
#include "viewer/hub.h"
#include "viewer/page.h"
#include "viewer/recording_page.h"
#include "viewer/replay_page.h"

extern char** environ;

namespace rigor::cli {

namespace {

/// The default scene: the seesaw of 8.2, if it is built in.
std::string first_scene() {
  const std::vector<std::string> names = builtin_scene_names();
  const bool there = std::find(names.begin(), names.end(), "seesaw") != names.end();
  return there ? "seesaw" : "dzhanibekov";
}

/// Opens a browser if there is a desktop; never through a shell.
void open_browser(const std::string& url) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
  std::string program = "xdg-open", argument = url;
  char* const arguments[] = {program.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  posix_spawnp(&process, program.c_str(), &quiet, nullptr, arguments, environ);  // a missing browser is not an error
  posix_spawn_file_actions_destroy(&quiet);
}

sigset_t end_signals() {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  return ends;
}

/// Serves until Ctrl-C, which only a thread of its own can wait for: handlers must not stop a server.
void serve(viewer::Server& server) {
  std::thread watcher([&] {
    const sigset_t ends = end_signals();
    int which = 0;
    sigwait(&ends, &which);
    server.stop();
  });
  try {
    server.run();
  } catch (...) {
    pthread_kill(watcher.native_handle(), SIGTERM);  // The watcher waits for a signal.
    watcher.join();
    throw;
  }
  watcher.join();
}

/// A page without a simulation behind it.
class NoSession final : public viewer::Application {
 public:
  std::shared_ptr<viewer::Receiver> connected(std::shared_ptr<viewer::Connection>, std::string_view) override {
    return nullptr;
  }
};

/// Serves the page until Ctrl-C, then calls `end` while the connections' server still exists.
void show(const viewer::ServerOptions& options, std::span<const viewer::PageFile> files,
          viewer::Application& application, const std::string& name, bool no_open, const std::function<void()>& end) {
  // Blocked before any thread starts, so that all inherit it.
  const sigset_t ends = end_signals();
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  viewer::Server server(options, files, application);
  const std::string& address = options.address;
  const bool any = address == "0.0.0.0" || address == "::";
  const std::string host = any ? "127.0.0.1" : address.find(':') != std::string::npos ? "[" + address + "]" : address;
  const std::string url = fmt::format("http://{}:{}/", host, server.port());
  print(fmt::format("Rigor shows {} at {}\nCtrl-C ends it.\n", name, url));
  std::fflush(stdout);
  if (!no_open) open_browser(url);
  // Sessions end before the server that their connections belong to, also after an error.
  try {
    serve(server);
  } catch (...) {
    end();
    throw;
  }
  end();
}

void choose_camera(Scene& scene, const std::string& name) {
  std::vector<std::string> known;
  for (const MountedCamera& camera : scene.appearance.cameras) known.push_back(camera.name);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Error("--camera", known.empty() ? "the scene has no cameras" : unknown_name("camera", name, known));
  scene.camera.use = name;
}

void show_recording(const std::string& path, const viewer::ServerOptions& options, bool no_open) {
  const viewer::RecordingPage page = viewer::recording_page(path);
  if (!page.note.empty()) std::fputs(("rigor: " + page.note + "\n").c_str(), stderr);
  const viewer::PageFile file{"/index.html", "text/html; charset=utf-8", page.html};
  NoSession none;
  show(options, {&file, 1}, none, path, no_open, [] {});
}

}  // namespace

int view(const Arguments& arguments) {
  std::string scene_name = first_scene(), port, address = "127.0.0.1";
  std::string camera;
  bool no_open = false;
  Command command("view", "Shows a scene in the browser: run it, touch it, change its method.",
                  "  rigor view\n  rigor view scene.json --port 8080 --no-open\n  rigor view stack-sequential --set "
                  "'solver.*.warm_start=true'\n  rigor view run.rrec");
  command.option(
      "SCENE", scene_name,
      "a built-in scene, a file (.json), a model (.urdf, .xml, a mesh), or a recording (.rrec), which is played",
      "SCENE");
  command.option("--port", port, "port of the page; any free one unless given", "N");
  command.option(
      "--listen", address,
      "serve another address than this machine's own; anyone who can reach it can run the simulation and take its "
      "time and memory, without a password and unencrypted",
      "ADDRESS");
  command.option("--camera", camera, "start with the view of this camera of the scene", "NAME");
  command.flag("--no-open", no_open, "only print the address");
  std::string method;
  std::vector<std::string> changes;
  add_method_options(command, method, changes);
  SceneInput input;
  input.add_options(command);
  if (!command.parse(arguments)) return kSuccess;
  viewer::require_page();

  viewer::ServerOptions options;
  options.address = address;
  if (!port.empty()) options.port = static_cast<std::uint16_t>(count("--port", port, 65535));
  if (scene_name.ends_with(".rrec")) {
    if (!method.empty() || !changes.empty()) throw Error("--method and --set: a recording is played as it was made");
    show_recording(scene_name, options, no_open);
    return kSuccess;
  }
  Scene scene = input.open(scene_name);
  change_method(scene.method, method, changes);
  if (!camera.empty()) choose_camera(scene, camera);
  viewer::Hub hub(std::move(scene));
  input.mention_notes(scene_name);
  show(options, viewer::page_files(), hub, scene_name, no_open, [&] { hub.shut_down(); });
  return kSuccess;
}

}  // namespace rigor::cli

#else

namespace rigor::cli {

int view(const Arguments&) {
  throw std::runtime_error("this program was built without the viewer; install libboost-dev and build again");
}

}  // namespace rigor::cli

#endif
