// Commands of a page: {"do": NAME, …}. Every command checks its arguments before it changes anything.
#pragma once

#include "io/json_reader.h"
#include "viewer/frame.h"
#include "viewer/session.h"

namespace rigor::viewer {

/// The speed of playback, which belongs to the thread and not to the session.
struct Pace {
  double speed = 1;  // simulated seconds per second
  bool unlimited = false;
};

struct CommandContext {
  Session& session;
  Pace& pace;
  FrameOptions& frame;
  int client;
};

struct Command {
  const char* name;
  Json (*run)(const JsonReader&, CommandContext&);
};

/// Runs a command and returns its answer, or null. Throws an Error and changes nothing if it cannot be done.
Json run_command(const JsonReader& message, CommandContext& context);

}  // namespace rigor::viewer
