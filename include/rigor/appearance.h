// How a scene is drawn: textures, sky, lights, and cameras that bodies carry. Nothing here changes the simulation.
//
// Colours are "#rrggbb". Poses are in the frame of a body, or in the world if no body is named.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rigor/math.h"

namespace rigor {

/// The pattern or picture of a material.
struct Texture {
  enum class Pattern { flat, checker, gradient, image };
  enum class Mark { none, edge, cross, random };
  Pattern pattern = Pattern::flat;
  std::string color = "#cccccc",
              second_color = "#808080";  // of a checker: upper left and upper right; of a gradient: top and bottom
  Mark mark = Mark::none;                // drawn over the pattern
  std::string mark_color = "#000000";
  std::string tint = "#ffffff";  // by which all colours are multiplied
  std::string image;             // bytes of a PNG or JPEG file; for Pattern::image
  /// True: on each of the six sides of a shape. False: along the z axis of the shape, or over a plane.
  bool on_each_side = false;
  std::array<double, 2> repeat{1, 1};  // over a whole shape, or with `per_metre` 1/m
  bool per_metre = false;

  bool operator==(const Texture&) const = default;
};

/// The background: a gradient from the zenith to the nadir.
struct Sky {
  std::string top = "#ffffff", bottom = "#808080";

  bool operator==(const Sky&) const = default;
};

struct Light {
  std::string name;
  std::string body;          // that carries it; empty: the world
  bool turns = true;         // false: it moves with the body but keeps its direction
  bool directional = false;  // light of a far sun; otherwise that of a spot
  Vec3 position;             // m
  Vec3 direction{0, 0, -1};  // in which it shines
  std::string color = "#b3b3b3";
  double cutoff = 45;  // °, between the middle and the edge of a spot; 180: it shines all around
  bool shadows = true;

  bool operator==(const Light&) const = default;
};

/// The light at the camera, and the light without a direction.
struct Headlight {
  std::string color = "#666666", ambient = "#1a1a1a";

  bool operator==(const Headlight&) const = default;
};

/// A camera that looks along its −z axis; its y axis is up in the picture.
struct MountedCamera {
  enum class Mode {
    fixed,   // moves and turns with its body
    track,   // moves with its body
    target,  // moves with its body and looks at another one
  };
  std::string name;
  std::string body;  // that carries it; empty: the world
  Mode mode = Mode::fixed;
  Vec3 position;  // m
  Quat orientation;
  std::string target;  // body that Mode::target looks at
  double fov = 45;     // °, vertical

  bool operator==(const MountedCamera&) const = default;
};

struct Appearance {
  std::map<std::string, Texture> textures;  // by the name of a material
  std::optional<Sky> sky;
  std::vector<Light> lights;  // none: the viewer's own sun
  std::optional<Headlight> headlight;
  std::vector<MountedCamera> cameras;

  bool operator==(const Appearance&) const = default;
};

}  // namespace rigor
