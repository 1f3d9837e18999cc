#include "models/mjcf_defaults.h"

#include <algorithm>

#include "io/json_text.h"

namespace rigor::models {

namespace {

const std::string kMain = "main";

}  // namespace

Attributes Attributes::nearest(std::initializer_list<const char*> alternatives) const {
  for (const Element& layer : layers_)
    for (const char* attribute : alternatives)
      if (layer.has(attribute)) return Attributes(layer);
  return Attributes(element());
}

Element Attributes::source(const char* attribute) const {
  for (const Element& layer : layers_)
    if (layer.has(attribute)) return layer;
  return {};
}

std::string Attributes::text(const char* attribute, const std::string& usual) const {
  const Element e = source(attribute);
  return e ? e.text(attribute) : usual;
}

template <class Value, class Read> Value Attributes::read(const char* attribute, const Value& usual, Read read) const {
  const Element e = source(attribute);
  if (!e) return usual;
  Value value = read(e);
  if (e.is_marked(attribute)) element().mark(attribute);
  return value;
}

double Attributes::number(const char* attribute, double usual) const {
  return read(attribute, usual, [&](const Element& e) { return e.number(attribute, usual); });
}

int Attributes::integer(const char* attribute, int usual) const {
  return read(attribute, usual, [&](const Element& e) { return e.integer(attribute, usual); });
}

bool Attributes::flag(const char* attribute, bool usual) const {
  return read(attribute, usual, [&](const Element& e) { return e.flag(attribute, usual); });
}

std::string Attributes::word(const char* attribute, const std::string& usual,
                             std::initializer_list<const char*> words) const {
  return read(attribute, usual, [&](const Element& e) { return e.word(attribute, usual, words); });
}

Vec3 Attributes::vector(const char* attribute, const Vec3& usual) const {
  return read(attribute, usual, [&](const Element& e) { return e.vector(attribute, usual); });
}

std::vector<double> Attributes::numbers(const char* attribute, std::size_t least, std::size_t most) const {
  return read(attribute, std::vector<double>{}, [&](const Element& e) { return e.numbers(attribute, least, most); });
}

int Attributes::three_way(const char* attribute, int usual) const {
  const Element e = source(attribute);
  if (!e) return usual;
  return e.text(attribute) == "auto" ? 2 : e.flag(attribute, false);
}

void MjcfDefaults::read(const Element& element, const Children& children) {
  if (const std::string name = element.text("class"); !name.empty()) {
    if (classes_.contains(name) && name != kMain)
      element.fail("there is already a default class named '" + short_text(name) + "'");
    main_names_.insert(name);
  }
  read(element, "", children, 0);
}

void MjcfDefaults::read(const Element& element, const std::string& parent, const Children& children, int depth) {
  if (depth > 100) element.fail("more than 100 default classes are nested in each other");
  const std::string name = depth == 0 ? kMain : element.text("class");
  if (name.empty()) element.fail("a default class within another one has a name");
  if (depth > 0 && knows(name)) element.fail("there is already a default class named '" + short_text(name) + "'");
  Class& own = classes_[name];
  if (name != parent && own.parent.empty()) own.parent = parent;
  std::vector<Element> inner;
  for (const Element& child : children(element)) {
    if (child.name() == "default")
      inner.push_back(child);
    else
      own.elements[child.name()].push_back(child);
  }
  for (const Element& child : inner) child.attempt([&] { read(child, name, children, depth + 1); });
}

Attributes MjcfDefaults::of(const Element& element, const std::vector<std::string>& kinds,
                            const std::string& child_class) {
  std::string name = element.text("class");
  if (name.empty()) name = child_class;
  if (!name.empty() && !knows(name))
    element.attempt([&] { element.fail("there is no default class '" + short_text(name) + "'"); });
  if (name.empty() || main_names_.contains(name)) name = kMain;
  std::vector<Element> layers;
  for (std::size_t guard = 0; !name.empty() && guard <= classes_.size(); ++guard) {
    const auto found = classes_.find(name);
    if (found == classes_.end()) break;
    for (const std::string& kind : kinds)
      if (const auto list = found->second.elements.find(kind); list != found->second.elements.end())
        layers.insert(layers.end(), list->second.rbegin(), list->second.rend());
    name = found->second.parent;
  }
  layers_read_ += layers.size();
  if (layers_read_ > kMostLayers)
    throw GiveUp(element.place(), "all elements together have more than " + std::to_string(kMostLayers) +
                                      " defaults; name fewer classes within each other");
  return {element, std::move(layers)};
}

}  // namespace rigor::models
