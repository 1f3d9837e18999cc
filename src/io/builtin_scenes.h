// The scenes of scenes/, embedded into the library when it is built.
#pragma once

#include <span>
#include <string_view>

namespace rigor {

struct BuiltinScene {
  std::string_view name;  // the file's name without .json
  std::string_view text;  // the file's content
};

/// All of them, sorted by name.
std::span<const BuiltinScene> builtin_scenes();

}  // namespace rigor
