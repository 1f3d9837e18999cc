// Bytes as text (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace rigor {

std::string base64(std::string_view bytes);
/// Reads both alphabets and ends at '='; Error for any other character.
std::string decode_base64(std::string_view text);

}  // namespace rigor
