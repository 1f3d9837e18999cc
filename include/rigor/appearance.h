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
  std::string color = "#cccccc";         // a checker has it at the upper left, a gradient at the top
  std::string second_color = "#808080";  // a checker has it at the upper right, a gradient at the bottom
  Mark mark = Mark::none;                // drawn over the pattern
  std::string mark_color = "#000000";
  std::string tint = "#ffffff";  // All colours are multiplied by it.
  std::string image;             // bytes of a PNG or JPEG file; for Pattern::image
  /// True: it is drawn on each of the six sides of a shape. False: it is projected along the z axis of the shape, or lies on a plane.
  bool on_each_side = false;
  std::array<double, 2> repeat{1, 1};  // repeats over the whole shape, or per metre with `per_metre`
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
  std::string body;          // name of the body that carries it; empty: the world
  bool turns = true;         // false: it moves with the body but keeps its direction
  bool directional = false;  // true: parallel light, as of a far sun; false: a spot light
  Vec3 position;             // m
  Vec3 direction{0, 0, -1};  // It shines in this direction.
  std::string color = "#b3b3b3";
  double cutoff = 45;  // °, from the axis of a spot light to its edge; above 90 it shines all around
  bool shadows = true;

  bool operator==(const Light&) const = default;
};

/// A light at the camera, and ambient light.
struct Headlight {
  std::string color = "#666666", ambient = "#1a1a1a";

  bool operator==(const Headlight&) const = default;
};

/// A camera that looks along its −z axis; its y axis is up in the picture.
struct MountedCamera {
  enum class Mode {
    fixed,   // moves and turns with its body
    track,   // moves with its body but does not turn
    target,  // moves with its body and looks at another body
  };
  std::string name;
  std::string body;  // name of the body that carries it; empty: the world
  Mode mode = Mode::fixed;
  Vec3 position;  // m
  Quat orientation;
  std::string target;  // name of the body that Mode::target looks at
  double fov = 45;     // °, vertical angle of view

  bool operator==(const MountedCamera&) const = default;
};

struct Appearance {
  std::map<std::string, Texture> textures;  // by the name of a material
  std::optional<Sky> sky;
  std::vector<Light> lights;  // If there are none, the viewer's own sun shines.
  std::optional<Headlight> headlight;
  std::vector<MountedCamera> cameras;

  bool operator==(const Appearance&) const = default;
};

}  // namespace rigor
