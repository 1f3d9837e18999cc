// The smallest world that still fails.
#pragma once

#include <functional>

#include "rigor/scene.h"

namespace rigor {

/// Takes away bodies, joints, velocities, limits, motors, springs, friction and bounces, and shortens the run, as long as `fails`
/// stays true. Greedy: what is left cannot lose any one of these and still fail. `fails(scene)` must be true at the start.
Scene shrink(Scene scene, const std::function<bool(const Scene&)>& fails);

}  // namespace rigor
