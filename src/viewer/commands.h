// What a page may ask for: {"do": NAME, …}. Every command checks what it is given before it changes anything.
#pragma once

#include "io/json_reader.h"
#include "viewer/frame.h"
#include "viewer/session.h"

namespace rigor::viewer {

/// Speed of play, which the thread keeps and not the session.
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

/// Runs a command and returns what it answers, null for nothing. Error, and nothing changed, when it cannot be done.
Json run_command(const JsonReader& message, CommandContext& context);

}  // namespace rigor::viewer
