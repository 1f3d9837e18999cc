#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/numbers.h"
#include "cli/verbs.h"
#include "io/registry_json.h"
#include "registry/combinations.h"
#include "rigor/error.h"
#include "rigor/method.h"
#include "rigor/queries.h"
#include "rigor/registry.h"

namespace rigor::cli {

namespace {

using Selection = std::vector<const MethodInfo*>;

std::string range_text(const Parameter& p) {
  if (!p.choices.empty()) return fmt::format("{}", fmt::join(p.choices, ", "));
  if (p.type == "flag") return "true, false";
  const bool low = std::isfinite(p.min), high = std::isfinite(p.max), positive = p.min == kPositive;
  if (positive) return high ? fmt::format("above 0, up to {:.6g}", p.max) : "above 0";
  if (low && high) return fmt::format("{:.6g} to {:.6g}", p.min, p.max);
  if (low) return fmt::format("at least {:.6g}", p.min);
  if (high) return fmt::format("at most {:.6g}", p.max);
  return "any";
}

/// Pads to `width` characters; fmt would also count the bytes of colour codes.
std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

void print_table(const Selection& selection) {
  const Style style;
  std::size_t width = 0;
  for (const MethodInfo* info : selection) width = std::max(width, info->name.size());
  std::string text;
  const MethodInfo* before = nullptr;
  for (const MethodInfo* info : selection) {
    if (!before || before->kind != info->kind)
      text += (before ? "\n" : "") + style.bold(std::string(to_string(info->kind))) + "\n";
    text += "  " + padded(info->name, width) + "  " + wrapped(info->description, width + 4) + "\n";
    before = info;
  }
  print(text);
}

/// Collects the limitations of all parts of a method, each of them once.
std::vector<std::string> limitations_of(const Method& method) {
  std::vector<std::string> all;
  for (const MethodSlot& slot : method_slots())
    if (const MethodInfo* info = find_method(slot.kind, (method.*slot.member).name))
      for (const std::string& limitation : info->limitations)
        if (std::find(all.begin(), all.end(), limitation) == all.end()) all.push_back(limitation);
  return all;
}

/// The parts of a preset, with the parameters that differ from their defaults, and the features of worlds that it simulates.
std::string preset_text(const std::string& name) {
  const Method method = preset(name);
  std::string text = "  consists of\n";
  const auto line = [&](const std::string& key, const Choice& choice) {
    text += fmt::format("    {:<18} {}\n", key, choice.name);
    for (const auto& [parameter, value] : choice.settings)
      text += fmt::format("    {:<18}   {} = {}\n", "", parameter, to_text(value));
  };
  for (const MethodSlot& slot : method_slots()) line(slot.key, method.*slot.member);
  for (const Choice& validator : method.validators) line("validators", validator);
  std::vector<std::string> honoured;
  std::string not_honoured;
  for (const Feature& feature : features()) {
    const std::string why = why_not_honoured(method, feature.name);
    if (why.empty())
      honoured.emplace_back(feature.name);
    else
      not_honoured += fmt::format("    {:<18} {}: {}\n", feature.name, feature.description, why);
  }
  text += fmt::format("  honours       {}\n",
                      honoured.empty() ? "none" : wrapped(fmt::format("{}", fmt::join(honoured, ", ")), 16));
  if (!not_honoured.empty()) text += "  does not honour\n" + not_honoured;
  for (const std::string& limitation : limitations_of(method))
    text += "  note          " + wrapped(limitation, 16) + "\n";
  return text;
}

void print_details(const MethodInfo& info) {
  const Style style;
  std::string text = style.bold(info.name) + " (" + std::string(to_string(info.kind)) + ")\n";
  text += "  " + info.description + "\n";
  if (!info.reference.empty()) text += "  reference     " + info.reference + "\n";
  if (!info.capabilities.empty()) text += fmt::format("  capabilities  {}\n", fmt::join(info.capabilities, ", "));
  for (const std::string& limitation : info.limitations) text += "  note          " + limitation + "\n";
  if (info.kind == Kind::preset)
    text += preset_text(info.name);
  else if (info.parameters.empty())
    text += "  no parameters\n";
  for (const Parameter& p : info.parameters) {
    const bool has_unit = !p.unit.empty() && p.unit != "1";
    text += fmt::format("\n  {} = {}{}\n", style.bold(p.name), to_text(p.default_value), has_unit ? " " + p.unit : "");
    text += fmt::format("      {}\n      {}: {}\n", p.description, p.type, range_text(p));
  }
  print(text);
}

/// Finds methods by name in any kind, all of a kind, or the solvers that a slot can have: contact, correction and so on.
Selection select(const std::string& name) {
  Selection selection, able;
  std::vector<std::string> known;
  for (const MethodInfo& info : rigor::methods()) {
    const std::string kind(to_string(info.kind));
    if (name.empty() || info.name == name || kind == name) selection.push_back(&info);
    if (info.kind == Kind::solver && has_capability(info, name)) able.push_back(&info);
    if (std::find(known.begin(), known.end(), kind) == known.end()) known.push_back(kind);
    known.push_back(info.name);
  }
  if (selection.empty()) selection = able;
  if (selection.empty()) throw Error(unknown_name("method", name, known));
  return selection;
}

}  // namespace

int methods(const Arguments& arguments) {
  std::string name;
  bool json = false, combinations = false;
  Command command("methods", "Lists every method by kind, or describes one.",
                  "  rigor methods\n  rigor methods integrator\n  rigor methods dormand-prince --json");
  command.option("NAME", name, "a method, a kind of methods, or what solvers are for (contact, correction, …)", "NAME");
  command.flag("--json", json,
               "as JSON: a list of {kind, name, description, reference, parameters, capabilities, limitations}");
  command.flag("--combinations", combinations, "which solvers can be combined, as a page of the documentation");
  if (!command.parse(arguments)) return kSuccess;

  if (combinations) {
    print(combinations_page());
    return kSuccess;
  }
  const Selection selection = select(name);
  if (json) {
    Json list = Json::array();
    for (const MethodInfo* info : selection) list.push_back(to_json(*info));
    print(list);
  } else if (name.empty() || selection.front()->name != name) {
    print_table(selection);
  } else {
    for (const MethodInfo* info : selection) print_details(*info);
  }
  return kSuccess;
}

}  // namespace rigor::cli
