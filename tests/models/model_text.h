// Sentences about a model that is given as text, for tests of its readers.
#pragma once

#include <string>

#include "rigor/error.h"
#include "rigor/model.h"

namespace rigor {

/// The sentence that refuses the model; "(no error)" if it is accepted.
inline std::string refusal_of(const std::string& text, const ModelOptions& options = {}) {
  try {
    parse_model(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

inline bool is_refused(const std::string& text) { return refusal_of(text) != "(no error)"; }

/// All notes of a report, a line each.
inline std::string notes_of(const ModelReport& report) {
  std::string text;
  for (const ModelNote& note : report.notes) text += to_text(note) + "\n";
  return text;
}

inline std::string notes_of(const std::string& text) {
  ModelReport report;
  parse_model(text, {}, &report);
  return notes_of(report);
}

}  // namespace rigor
