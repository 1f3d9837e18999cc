// The picture that `rigor run --picture` writes: instants of one run side by side, from one point of view.
#pragma once

#include <string>
#include <vector>

#include "lab/scene_bench.h"

namespace rigor {

class FilmStrip {
 public:
  /// Instants in s from now; each is taken at the first step that has reached it.
  FilmStrip(const Simulation& simulation, std::vector<double> instants);

  /// Call this before the first step and after each.
  void see(const Simulation& simulation);
  /// A complete SVG document with its own style and a line of text below.
  std::string svg(const std::string& caption) const;

 private:
  struct Picture {
    double time;  // s
    std::vector<BodyPose> poses;
  };

  std::vector<BodyPose> poses_of(const World& world) const;

  Scene scene_;  // only its world matters
  std::vector<BodyId> bodies_;
  std::vector<double> instants_;  // remaining instants, the next one last
  std::vector<Picture> pictures_;
};

}  // namespace rigor
