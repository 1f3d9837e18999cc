// All mistakes of a URDF or MJCF file, where load_model() stops at the first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/mistakes.h"
#include "rigor/model.h"

namespace rigor::models {

/// Sentences with file and line; none if the file is right, or a mesh. With `options.strict` they include what is not honoured.
std::vector<std::string> model_mistakes(const std::string& path, const ModelOptions& options);
/// The same for text without a file.
std::vector<std::string> text_mistakes(std::string_view text, const ModelOptions& options);

}  // namespace rigor::models
