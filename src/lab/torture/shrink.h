// Shrinks a world that fails.
#pragma once

#include <functional>

#include "rigor/scene.h"

namespace rigor {

/// Removes bodies, joints, velocities, limits, motors, springs, friction and restitution, and shortens the run, as long as `fails`
/// stays true. Greedy: the result no longer fails if any one of these is removed. `fails(scene)` must be true at the start.
Scene shrink(Scene scene, const std::function<bool(const Scene&)>& fails);

}  // namespace rigor
