#include "io/xml_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "io/json_text.h"

namespace rigor::models {

namespace {

constexpr int kMaxXmlDepth = 300;
constexpr std::size_t kMaxAttributes = 100;  // They are searched one by one, also for each replica of an element.

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// XML has no element with an attribute twice. Names of a scene are UTF-8. A character reference such as "&#xd800;" makes bytes that are not.
void check_text(const Element& element) {
  std::set<std::string_view> names;
  for (const pugi::xml_attribute attribute : element.node().attributes()) {
    if (!is_utf8(attribute.name()) || !is_utf8(attribute.value()))
      element.fail(short_text(attribute.name()) + ": expected text in UTF-8");
    if (!names.insert(attribute.name()).second) element.fail(short_text(attribute.name()) + ": it is given twice");
    if (names.size() > kMaxAttributes)
      element.fail("it has more than " + std::to_string(kMaxAttributes) + " attributes");
  }
}

/// Iterative, since the depth is the file's choice.
void check_tree(const XmlFile& file) {
  int depth = 0;
  pugi::xml_node node = file.document;
  while (node) {
    check_text(Element(node, &file));
    if (pugi::xml_node child = node.first_child()) {
      node = child;
      if (++depth > kMaxXmlDepth)
        throw Error(file.name + ":" + std::to_string(file.line_at(node.offset_debug())),
                    "more than " + std::to_string(kMaxXmlDepth) + " elements are nested in each other");
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      --depth;
    }
    if (node) node = node.next_sibling();
  }
}

/// True if the first line declares the encoding ISO-8859-1.
bool is_declared_latin1(std::string_view text) {
  std::string line(text.substr(0, std::min(text.find('>'), text.size())));
  for (char& c : line) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return line.starts_with("<?xml") &&
         (line.find("iso-8859-1") != std::string::npos || line.find("latin1") != std::string::npos);
}

std::string from_latin1(std::string_view text) {
  std::string converted;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      converted += c;
    } else {
      converted += static_cast<char>(0xc0 | (byte >> 6));
      converted += static_cast<char>(0x80 | (byte & 0x3f));
    }
  }
  return converted;
}

std::string counted_numbers(std::size_t count) {
  return count == 1 ? "one number" : std::to_string(count) + " numbers";
}

/// Lists of more numbers are not made up for a file that collects its mistakes.
constexpr std::size_t kMostZeros = 16;

}  // namespace

void XmlMistakes::add(const std::string& sentence) {
  if (is_full() || !known_.insert(sentence).second) return;
  sentences_.push_back(sentence);
}

bool XmlMistakes::is_marked(std::size_t node, const std::string& attribute) const {
  const auto found = attributes_.find(node);
  return found != attributes_.end() && found->second.contains(attribute);
}

bool XmlMistakes::is_consequence(const pugi::xml_node& node, const std::string& reason) const {
  const auto found = attributes_.find(node.hash_value());
  if (found == attributes_.end()) return false;
  const std::string attribute = reason.substr(0, reason.find(':'));
  return !node.attribute(attribute.c_str()) || found->second.contains(attribute);
}

int XmlFile::line_at(std::ptrdiff_t offset) const {
  if (offset < 0) return 0;
  const auto next = std::upper_bound(line_begin.begin(), line_begin.end(), static_cast<std::size_t>(offset));
  return static_cast<int>(next - line_begin.begin());
}

std::unique_ptr<XmlFile> parse_xml(std::string text, const std::string& name, const std::string& path,
                                   XmlMistakes* mistakes) {
  auto file = std::make_unique<XmlFile>();
  file->mistakes = mistakes;
  file->name = name;
  file->path = path;
  file->text = is_utf8(text) || !is_declared_latin1(text) ? std::move(text) : from_latin1(text);
  file->line_begin.push_back(0);
  for (std::size_t i = 0; i < file->text.size(); ++i)
    if (file->text[i] == '\n') file->line_begin.push_back(i + 1);
  const pugi::xml_parse_result result =
      file->document.load_buffer(file->text.data(), file->text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    const int line =
        file->line_at(std::min<std::ptrdiff_t>(result.offset, static_cast<std::ptrdiff_t>(file->text.size())));
    throw Error(file->name + ":" + std::to_string(line),
                std::string("this is not XML: ") + short_text(result.description()));
  }
  check_tree(*file);
  return file;
}

std::vector<double> parse_numbers(std::string_view text, std::size_t least, std::size_t most) {
  std::vector<double> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) break;
    if (*at == '+' && at + 1 != end && at[1] != '-') ++at;
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || (next != end && !is_space(*next)))
      throw Error("expected numbers, got '" + short_text(std::string_view(at, static_cast<std::size_t>(end - at))) +
                  "'");
    if (!std::isfinite(value) || std::abs(value) > kPositionRange.max)
      throw Error("expected numbers up to 1e12, got '" +
                  short_text(std::string_view(at, static_cast<std::size_t>(next - at))) + "'");
    if (values.size() == most) throw Error("expected " + counted_numbers(most) + ", got more");
    values.push_back(value);
    at = next;
  }
  if (values.size() < least)
    throw Error("expected " + counted_numbers(least) + ", got " + std::to_string(values.size()));
  return values;
}

std::string Element::place() const {
  return file_->name + ":" + std::to_string(line()) + ": <" + short_text(name()) + ">";
}

void Element::fail(const std::string& reason) const {
  if (file_->mistakes && file_->mistakes->is_consequence(node_, reason)) throw Consequence();
  throw Error(place(), reason);
}

void Element::fail_missing(const std::string& missing, const std::string& reason) const {
  if (file_->mistakes && file_->mistakes->is_marked(missing)) throw Consequence();
  fail(reason);
}

void Element::mark_own_name() const {
  if (const std::string name = text("name"); !name.empty()) file_->mistakes->mark_name(name);
}

void Element::collect(const Error& error) const {
  mark_own_name();
  file_->mistakes->add(error.what());
  if (file_->mistakes->is_full()) throw Stopped();
}

bool Element::is_marked(const char* attribute) const {
  return file_->mistakes && file_->mistakes->is_marked(node_.hash_value(), attribute);
}

void Element::mark(const char* attribute) const {
  if (file_->mistakes) file_->mistakes->mark_attribute(node_.hash_value(), attribute);
}

/// Collects the mistake, or throws it.
void Element::mistake_of(const char* attribute, const std::string& reason) const {
  if (!file_->mistakes) throw Error(place(), std::string(attribute) + ": " + reason);
  mark(attribute);
  attempt([&] { throw Error(place(), std::string(attribute) + ": " + reason); });
}

Element Element::child(const char* name) const {
  const pugi::xml_node found = node_.child(name);
  if (const Element second(found.next_sibling(name), file_); second)
    second.attempt([&] { second.fail("it is given twice in <" + short_text(node_.name()) + ">"); });
  return {found, file_};
}

std::vector<Element> Element::children(const char* name) const {
  std::vector<Element> list;
  for (const pugi::xml_node node : node_.children())
    if (node.type() == pugi::node_element && (!name || std::string_view(node.name()) == name))
      list.emplace_back(node, file_);
  return list;
}

std::vector<double> Element::numbers(const char* attribute, std::size_t least, std::size_t most) const {
  try {
    return parse_numbers(node_.attribute(attribute).value(), least, most);
  } catch (const Error& error) {
    mistake_of(attribute, error.what());
    if (least > kMostZeros) throw Consequence();
    return std::vector<double>(least);
  }
}

double Element::number(const char* attribute, double usual) const {
  if (!has(attribute)) return usual;
  const double value = numbers(attribute, 1, 1)[0];
  return is_marked(attribute) ? usual : value;
}

Vec3 Element::vector(const char* attribute, const Vec3& usual) const {
  if (!has(attribute)) return usual;
  const std::vector<double> v = numbers(attribute, 3, 3);
  return is_marked(attribute) ? usual : Vec3{v[0], v[1], v[2]};
}

int Element::integer(const char* attribute, int usual) const {
  constexpr double kMost = 1e9;
  const double value = number(attribute, usual);
  if (value == std::floor(value) && std::abs(value) <= kMost) return static_cast<int>(value);
  mistake_of(attribute, "expected a whole number, got '" + short_text(text(attribute)) + "'");
  return usual;
}

std::string Element::word(const char* attribute, const std::string& usual,
                          std::initializer_list<const char*> words) const {
  if (!has(attribute)) return usual;
  const std::string value = text(attribute);
  std::string expected;
  for (const char* word : words) {
    if (value == word) return value;
    expected += std::string(expected.empty() ? "" : word == words.end()[-1] ? " or " : ", ") + word;
  }
  mistake_of(attribute, "expected " + expected + ", got '" + short_text(value) + "'");
  return usual;
}

void Element::check_range(const char* attribute, double value, const Range& range, const char* what) const {
  if (value >= range.min && value <= range.max) return;
  const auto text_of = [](double number) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    return std::string(text, end);
  };
  fail(std::string(attribute) + ": expected " + what + " from " + text_of(range.min) + " to " + text_of(range.max) +
       ", got '" + short_text(text(attribute)) + "'");
}

bool Element::flag(const char* attribute, bool usual) const {
  if (!has(attribute)) return usual;
  const std::string value = text(attribute);
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  mistake_of(attribute, "expected true or false, got '" + short_text(value) + "'");
  return usual;
}

std::string in_words_of_models(const std::string& sentence) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"position", "its position"},
      {"orientation", "its orientation"},
      {"velocity", "its velocity in the world"},
      {"angular_velocity", "its angular velocity in the world"},
      {"mass", "its mass in kg"},
      {"inertia", "its inertia in kg m²"},
      {"center_of_mass", "its center of mass"},
      {"gravity_factor", "the factor of its weight"},
  };
  const std::size_t colon = sentence.find(':');
  for (const auto& [key, words] : kWords)
    if (colon != std::string::npos && sentence.substr(0, colon) == key)
      return std::string(words) + sentence.substr(colon);
  return sentence;
}

}  // namespace rigor::models
