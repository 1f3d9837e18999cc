#include "registry/combinations.h"

#include <map>
#include <vector>

#include "registry/entry.h"
#include "rigor/error.h"

namespace rigor {

namespace {

/// Empty if the method can work, otherwise the reason why not.
std::string refusal(const Method& method) {
  try {
    check(method);
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

/// Numbers sentences in the order in which they first occur.
class Footnotes {
 public:
  std::string mark(const std::string& sentence) {
    if (sentence.empty()) return "yes";
    const auto [place, fresh] = numbers_.try_emplace(sentence, numbers_.size() + 1);
    if (fresh) sentences_.push_back(sentence);
    return "no (" + std::to_string(place->second) + ")";
  }
  std::string list() const {
    std::string text;
    for (std::size_t i = 0; i < sentences_.size(); ++i) text += std::to_string(i + 1) + ". " + sentences_[i] + "\n";
    return text;
  }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> sentences_;
};

std::vector<std::string> solvers_with(std::string_view capability) {
  std::vector<std::string> names;
  for (const Entry& e : entries())
    if (e.kind == Kind::solver && (capability.empty() || has_capability(e, capability))) names.push_back(e.name);
  return names;
}

std::string table_head(const std::string& corner, const std::vector<std::string>& columns) {
  std::string head = "| " + corner + " |", rule = "| --- |";
  for (const std::string& c : columns) {
    head += " " + c + " |";
    rule += " --- |";
  }
  return head + "\n" + rule + "\n";
}

std::string level_of(const std::string& solver) {
  for (const std::string& c : entry(Kind::solver, solver, "solver").capabilities)
    if (c.starts_with("level:")) return c.substr(6);
  return "";
}

std::string slots_table() {
  const std::vector<std::string> slots = {"collision", "contact", "joint", "correction"};
  std::vector<std::string> columns = {"level"};
  columns.insert(columns.end(), slots.begin(), slots.end());
  std::string text = table_head("solver", columns);
  for (const std::string& solver : solvers_with("")) {
    text += "| " + solver + " | " + level_of(solver) + " |";
    for (const std::string& slot : slots)
      text += has_capability(entry(Kind::solver, solver, "solver"), slot) ? " yes |" : " |";
    text += "\n";
  }
  return text;
}

std::string contact_table(Footnotes& notes) {
  const std::vector<std::string> columns = solvers_with("collision");
  std::string text = table_head("contact \\ collision", columns);
  for (const std::string& contact : solvers_with("contact")) {
    text += "| " + contact + " |";
    for (const std::string& collision : columns) {
      Method m;
      m.contact_solver.name = contact;
      m.collision_solver.name = collision;
      text += " " + notes.mark(refusal(m)) + " |";
    }
    text += "\n";
  }
  return text;
}

std::string correction_table(Footnotes& notes) {
  const std::vector<std::string> columns = solvers_with("correction");
  std::string text = table_head("contact and joint \\ correction", columns);
  for (const std::string& solver : solvers_with("joint")) {
    text += "| " + solver + " |";
    for (const std::string& correction : columns) {
      Method m;
      const Entry& e = entry(Kind::solver, solver, "solver");
      m.joint_solver.name = solver;
      m.correction.name = correction;
      if (has_capability(e, "contact")) m.contact_solver.name = solver;
      // Adds a collision solver only if the contact solver needs one, so that each solver is checked alone.
      if (has_capability(e, "needs:collision")) m.collision_solver.name = "sequential-impulse";
      text += " " + notes.mark(refusal(m)) + " |";
    }
    text += "\n";
  }
  return text;
}

std::string limitations_list() {
  std::string text;
  for (const Entry& e : entries()) {
    if (e.kind != Kind::solver || e.limitations.empty()) continue;
    text += "- `" + e.name + "`: ";
    for (std::size_t i = 0; i < e.limitations.size(); ++i) text += (i > 0 ? "; " : "") + e.limitations[i];
    text += ".\n";
  }
  return text;
}

}  // namespace

std::string combinations_page() {
  Footnotes notes;
  std::string text =
      "# Which solvers can be combined\n\n"
      "Made by `rigor methods --combinations` from the registry; a test compares it. A method has four slots for "
      "constraint\n"
      "solvers; slots without a table can be combined freely. The message of a refused combination names what to "
      "change.\n\n"
      "## Slots\n\n";
  text += slots_table() + "\n## Contacts and collisions\n\n" + contact_table(notes);
  text +=
      "\n## Error correction\n\nThe solver of the row is in the contact and joint slots that it can fill, with "
      "`sequential-impulse` for\ncollisions if it needs one.\n\n";
  text += correction_table(notes);
  if (!notes.list().empty()) text += "\n## Reasons\n\n" + notes.list();
  text += "\n## Limitations\n\n" + limitations_list();
  return text;
}

}  // namespace rigor
