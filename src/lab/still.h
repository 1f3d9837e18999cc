// Stills: a scene at one instant as SVG, by projection and the painter's algorithm. For reports, which need
// clear pictures, not beautiful ones.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/scene_bench.h"

namespace rigor {

constexpr int kStillWidth = 420, kStillHeight = 236;  // pixels

/// Looks from `eye` at `target`; perspective.
struct Camera {
  Vec3 eye, target, up;
};

/// A camera that has the bodies at these instants in view: of fewer than a hundred bodies all but those that fly farther away than the
/// others' extent, of more all but the outermost twenty-fifth, so that one body flying away does not make all others tiny.
Camera fitting_camera(const Scene& scene, std::span<const std::vector<BodyPose>> poses);

/// An SVG element without title. `poses` are those of moving_bodies(scene.world). A body has the colours that its materials name,
/// or else that of its index in the world, the same in all stills; the ground is a grid, with shadows.
std::string render_still(const Scene& scene, std::span<const BodyPose> poses, const Camera& camera);
/// Rules of CSS that stills need.
std::string_view still_style();

}  // namespace rigor
