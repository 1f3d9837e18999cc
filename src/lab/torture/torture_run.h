// One random world under one engine, from its start to its end.
#pragma once

#include "lab/scene_bench.h"
#include "lab/torture/verdict.h"

namespace rigor {

/// Thrown if the engine lacks a shape, a joint or a force of the world and refuses it.
class NotBuilt : public Error {
 public:
  using Error::Error;
};

/// Makes and judges all steps of the scene. NotBuilt if the engine refuses the scene or its first step.
Judgement torture_run(const Scene& scene, const BenchEngine& engine);
/// Makes all steps without a judge. Returns a hash of the poses and velocities of the first `count` bodies after every step: equal
/// bits give equal hashes.
std::uint64_t trajectory_hash(const Scene& scene, const BenchEngine& engine, std::size_t count);
/// The same scene with a sphere 7 km away that touches nothing and never sleeps; the last of its bodies.
Scene with_far_body(Scene scene);
/// The scene under a preset; a scene whose method never sleeps keeps that.
void apply_method(Scene& scene, const Method& method);

}  // namespace rigor
