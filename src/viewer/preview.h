// Computes where the bodies of a scene move in its first seconds, so that the camera shows all of it from the start.
#pragma once

#include "io/json_text.h"
#include "rigor/scene.h"

namespace rigor::viewer {

/// {"seconds", "points": [x, y, z, …]}: points on the hull of everything that moves within the first five seconds, or until the scene ends, of the
/// anchors that hold it, and of fixed bodies that are not much larger. A scene of many bodies is simulated for a shorter time,
/// which "seconds" reports; its bodies are then taken to fall to the ground. The scene itself is not changed.
Json describe_motion(const Scene& scene);

}  // namespace rigor::viewer
