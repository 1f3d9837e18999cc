#include <nlohmann/json.hpp>

#include "io/json_text.h"
#include "rigor/error.h"

namespace rigor {

namespace {

constexpr std::size_t kLineLength = 110;

std::string print_scalar(const Json& value) {
  try {
    return value.dump();
  } catch (const Json::exception&) {
    throw Error("'" + short_text(value.get_ref<const std::string&>()) + "'",
                "names and texts must be UTF-8 to be written");
  }
}

std::string print(const Json& value, std::size_t indent);

std::vector<std::string> print_children(const Json& value, std::size_t indent) {
  std::vector<std::string> texts;
  texts.reserve(value.size());
  if (value.is_array())
    for (const Json& item : value) texts.push_back(print(item, indent));
  else
    for (const auto& [key, item] : value.items()) texts.push_back(print_scalar(Json(key)) + ": " + print(item, indent));
  return texts;
}

std::string print(const Json& value, std::size_t indent) {
  if (!value.is_structured()) return print_scalar(value);
  const bool list = value.is_array();
  if (value.empty()) return list ? "[]" : "{}";
  const std::vector<std::string> children = print_children(value, indent + 2);

  std::size_t length = indent + 4;
  bool one_line = true;
  for (const std::string& child : children) {
    length += child.size() + 2;
    one_line = one_line && length <= kLineLength && child.find('\n') == std::string::npos;
  }
  const std::string margin = "\n" + std::string(indent, ' ');
  std::string text = list ? "[" : "{";
  for (std::size_t i = 0; i < children.size(); ++i) {
    if (i > 0) text += ",";
    if (!one_line) text += margin + "  ";
    if (one_line && (i > 0 || !list)) text += " ";
    text += children[i];
  }
  if (!one_line) text += margin;
  if (one_line && !list) text += " ";
  return text + (list ? "]" : "}");
}

/// Length of the first UTF-8 character, 0 if it is invalid.
std::size_t character_length(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text.front());
  const std::size_t length = byte < 0x80   ? 1
                             : byte < 0xc2 ? 0
                             : byte < 0xe0 ? 2
                             : byte < 0xf0 ? 3
                             : byte < 0xf5 ? 4
                                           : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  // Longer codes than needed, surrogates and what lies beyond U+10FFFF are invalid.
  const unsigned char second = length > 2 ? static_cast<unsigned char>(text[1]) : 0;
  if ((byte == 0xe0 && second < 0xa0) || (byte == 0xed && second > 0x9f) || (byte == 0xf0 && second < 0x90) ||
      (byte == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

/// Removes the first character of the text and returns it, or a question mark for a control character (also U+0080 to U+009F, which
/// terminals interpret as well) and for bytes that are not UTF-8.
std::string_view take_printable(std::string_view& text) {
  const std::size_t length = character_length(text);
  const auto byte = static_cast<unsigned char>(text.front());
  const bool control =
      byte < 0x20 || byte == 0x7f || (byte == 0xc2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xa0);
  const std::string_view character = length == 0 || control ? "?" : text.substr(0, length);
  text.remove_prefix(std::max<std::size_t>(length, 1));
  return character;
}

}  // namespace

std::string print_json(const Json& value) { return print(value, 0) + "\n"; }

std::string printable_text(std::string_view text) {
  std::string shown;
  while (!text.empty()) shown += take_printable(text);
  return shown;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string first_characters(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end));
}

std::string short_text(std::string_view text) {
  constexpr std::size_t kLongest = 57;
  std::string shown;
  while (!text.empty()) {
    const std::string_view character = take_printable(text);
    if (shown.size() + character.size() > kLongest) return shown + "…";
    shown += character;
  }
  return shown;
}

}  // namespace rigor
