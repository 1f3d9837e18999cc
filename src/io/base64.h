// Base64 (RFC 4648): bytes as text.
#pragma once

#include <string>
#include <string_view>

namespace rigor {

std::string base64(std::string_view bytes);
/// Reads the standard and the URL-safe alphabet and stops at '='. Any other character is an Error.
std::string decode_base64(std::string_view text);

}  // namespace rigor
