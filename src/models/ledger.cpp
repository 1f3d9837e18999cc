#include "models/ledger.h"

#include <algorithm>
#include <sstream>

#include "io/json_text.h"
#include "registry/suggest.h"
#include "rigor/error.h"

namespace rigor {

std::string to_text(const ModelNote& note) {
  std::string text = note.file;
  if (note.line > 0) text += ":" + std::to_string(note.line);
  if (!note.element.empty()) text += (text.empty() ? "" : ": ") + note.element;
  return text + (text.empty() ? "" : ": ") + note.what;
}

}  // namespace rigor

namespace rigor::models {

namespace {

constexpr std::size_t kMostNotes = 100'000;
constexpr std::size_t kMostSuggestions = 1000;  // notes after which similar names are no longer searched

void add(ModelReport& report, const Element& element, const std::string& attribute, ModelNote::Kind kind,
         const std::string& what) {
  if (report.notes.size() >= kMostNotes) return;
  std::string shown = short_text(element.name());
  if (const std::string name = element.text("name"); !name.empty()) shown += " '" + short_text(name) + "'";
  if (!attribute.empty()) shown += " @" + short_text(attribute);
  report.notes.push_back({kind, element.file()->name, element.line(), shown, what});
}

bool is_honoured(const Treatment* t) {
  return t && (t->kind == Treatment::Kind::honoured || t->kind == Treatment::Kind::shown);
}

ModelNote::Kind kind_of(Treatment::Kind kind) {
  if (kind == Treatment::Kind::appearance) return ModelNote::Kind::appearance;
  return kind == Treatment::Kind::replaced ? ModelNote::Kind::replaced : ModelNote::Kind::ignored;
}

}  // namespace

Ledger::Ledger(std::span<const Treatment> table) {
  for (const Treatment& t : table) {
    std::istringstream words(t.attribute);
    if (*t.attribute == '\0') table_.emplace(std::string(t.element) + "@", t);
    for (std::string attribute; words >> attribute;) table_.emplace(std::string(t.element) + "@" + attribute, t);
  }
}

void Ledger::note(const Element& element, const std::string& attribute, ModelNote::Kind kind, const std::string& what) {
  notes_.insert_or_assign({element.node().hash_value(), attribute}, Entry{kind, what, false});
}

void Ledger::skip(const Element& element, ModelNote::Kind kind, const std::string& what) {
  notes_.insert_or_assign({element.node().hash_value(), ""}, Entry{kind, what, true});
}

void Ledger::remark(const Element& element, ModelNote::Kind kind, const std::string& what) {
  std::string shown = short_text(element.name());
  if (const std::string name = element.text("name"); !name.empty()) shown += " '" + short_text(name) + "'";
  if (kind != ModelNote::Kind::appearance) remarked_.insert(element.node().hash_value());
  if (remarks_.size() < kMostNotes) remarks_.push_back({kind, element.file()->name, element.line(), shown, what});
}

const Treatment* Ledger::find(const std::string& parent, const std::string& element,
                              const std::string& attribute) const {
  if (const auto found = table_.find(parent + "/" + element + "@" + attribute); found != table_.end())
    return &found->second;
  if (const auto found = table_.find(parent + "/*@" + attribute); found != table_.end()) return &found->second;
  const auto found = table_.find(element + "@" + attribute);
  if (found != table_.end()) return &found->second;
  const auto any = table_.find("*@" + attribute);
  return any == table_.end() ? nullptr : &any->second;
}

std::string Ledger::suggestion(const std::string& parent, const std::string& element,
                               const std::string& attribute) const {
  std::set<std::string> known;
  for (const auto& [key, treatment] : table_) {
    const std::size_t at = key.rfind('@');
    const std::string holder = key.substr(0, at), name = key.substr(at + 1);
    const std::size_t slash = holder.find('/');
    const std::string own = slash == std::string::npos ? holder : holder.substr(slash + 1);
    const bool is_here = slash == std::string::npos || holder.substr(0, slash) == parent;
    if (!is_here || own == "*") continue;
    if (attribute.empty() && name.empty()) known.insert(own);
    if (!attribute.empty() && own == element && !name.empty()) known.insert(name);
  }
  return did_you_mean(attribute.empty() ? element : attribute, {known.begin(), known.end()});
}

void Ledger::settle(const XmlFile& file, ModelReport& report) const {
  for (const pugi::xml_node node : file.document.children())
    if (node.type() == pugi::node_element) settle(Element(node, &file), nullptr, "", report);
  if (report.warnings.empty()) report.warnings = warnings_;
  if (report.lost.empty()) report.lost = lost_;
  for (const ModelNote& remark : remarks_)
    if (remark.file == file.name) report.notes.push_back(remark);
  std::stable_sort(report.notes.begin(), report.notes.end(),
                   [](const ModelNote& a, const ModelNote& b) { return a.file == b.file && a.line < b.line; });
}

void Ledger::settle(const Element& element, const Entry* inherited, const std::string& parent,
                    ModelReport& report) const {
  const std::string name = element.name();
  const auto own = notes_.find({element.node().hash_value(), ""});
  const Treatment* treatment = find(parent, name, "");
  const Entry* entry = inherited;
  Entry from_table{ModelNote::Kind::ignored, "", true};
  if (!entry && own != notes_.end()) {
    entry = &own->second;
    add(report, element, "", entry->kind, entry->what);
  } else if (!entry && !treatment) {
    from_table.kind = ModelNote::Kind::unknown;
    from_table.what = "unknown element, left out with all that it holds";
    if (report.notes.size() < kMostSuggestions) from_table.what += suggestion(parent, name, "");
    entry = &from_table;
    add(report, element, "", entry->kind, entry->what);
  } else if (!entry && !is_honoured(treatment) && !honoured_.contains({element.node().hash_value(), ""})) {
    from_table = {kind_of(treatment->kind), treatment->what, true};
    entry = &from_table;
    add(report, element, "", entry->kind, entry->what);
  }
  ++report.elements;
  const bool is_shown =
      treatment && (treatment->kind == Treatment::Kind::shown || treatment->kind == Treatment::Kind::unmeasured);
  const bool seen = is_shown || (entry && entry->kind == ModelNote::Kind::appearance);
  const bool honoured = !entry && !remarked_.contains(element.node().hash_value());
  if (honoured) ++report.elements_honoured;
  if (!seen) ++report.moving_elements;
  if (!seen && honoured) ++report.moving_elements_honoured;
  const bool whole = entry && entry->whole;
  for (const pugi::xml_attribute attribute : element.node().attributes()) {
    ++report.attributes;
    if (whole) continue;  // said with the element
    const std::string key = attribute.name();
    if (const auto noted = notes_.find({element.node().hash_value(), key}); noted != notes_.end()) {
      add(report, element, key, noted->second.kind, noted->second.what);
      continue;
    }
    const Treatment* t = find(parent, name, key);
    if (is_honoured(t) || honoured_.contains({element.node().hash_value(), key})) {
      ++report.attributes_honoured;
      continue;
    }
    if (t)
      add(report, element, key, kind_of(t->kind), t->what);
    else
      add(report, element, key, ModelNote::Kind::unknown,
          "unknown attribute, left out" +
              (report.notes.size() < kMostSuggestions ? suggestion(parent, name, key) : ""));
  }
  for (const Element& child : element.children()) settle(child, whole ? entry : nullptr, name, report);
}

}  // namespace rigor::models
