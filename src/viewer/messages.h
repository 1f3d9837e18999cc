// Messages that the server sends without a request, besides scenes and methods.
#pragma once

#include <string>

#include "io/json_text.h"
#include "viewer/commands.h"

namespace rigor::viewer {

std::string text_of(const Json& json);
/// What never changes while the program runs: registry, layers, channels; and an empty list of scenes.
Json describe_program();
/// The same with the built-in scenes and the name of the session.
std::string hello_text(const std::string& session);
/// Playback state and speed, step and time, the stored past, stop rules, the recording.
Json describe_state(const Session& session, const Pace& pace);
Json describe_rules(const StopRules& rules);

}  // namespace rigor::viewer
