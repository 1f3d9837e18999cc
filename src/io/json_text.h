// JSON as text: a strict parser that is safe with hostile input, and a printer with readable output.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace rigor {

/// Keeps the order of keys.
using Json = nlohmann::ordered_json;

inline constexpr std::size_t kMaxJsonDepth = 64;
/// Values and keys together; enough for a scene of two million bodies.
inline constexpr std::size_t kMaxJsonValues = 32'000'000;

/// Throws Error "line L, column C: …" for text that is not JSON or has numbers beyond the range of a double, and Error for
/// keys given twice, nesting beyond kMaxJsonDepth and more than kMaxJsonValues values.
Json parse_json(std::string_view text);
/// The same, with comments as C++ has them.
Json parse_json_with_comments(std::string_view text);

/// Numbers read back to the same bits. Values that fit into one line are not broken. Error for strings that are not UTF-8.
std::string print_json(const Json& value);

/// True for text that print_json() accepts.
bool is_utf8(std::string_view text);
/// The first characters of UTF-8 text, as many as fit into `most` bytes.
std::string first_characters(std::string_view text, std::size_t most);

/// Makes a user's text safe for a terminal: valid UTF-8, no control characters.
std::string printable_text(std::string_view text);
/// Shortens a user's text for a message: at most 60 bytes, valid UTF-8, no control characters.
std::string short_text(std::string_view text);

}  // namespace rigor
