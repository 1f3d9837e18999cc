#include "lab/torture/verdict.h"

#include <algorithm>
#include <array>

#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

struct Entry {
  const char *name, *meaning;
};
constexpr std::array<Entry, kVerdicts> kEntries = {{
    {"crash", "the process ended or an exception was thrown"},
    {"hang", "not done within the limit of computing time"},
    {"not-finite", "a pose or velocity is not finite, or beyond 1e12"},
    {"removed", "a validator removed a body"},
    {"energy", "more energy than the start, the motors and the push out of overlaps explain"},
    {"fast", "a body is more than three times as fast as all of the energy could make it"},
    {"momentum", "momentum or angular momentum drifts without external forces"},
    {"through", "a body stays beyond a fixed body by more than its size"},
    {"deep", "a penetration that lasts"},
    {"open", "a joint that stays open"},
    {"limit", "a joint limit that stays exceeded"},
    {"restless", "a body still moves long after it must have come to rest"},
}};

}  // namespace

const char* to_string(Verdict verdict) { return kEntries[static_cast<std::size_t>(verdict)].name; }
const char* meaning(Verdict verdict) { return kEntries[static_cast<std::size_t>(verdict)].meaning; }

Verdict find_verdict(std::string_view name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].name == name) return static_cast<Verdict>(i);
    known.emplace_back(kEntries[i].name);
  }
  throw Error(unknown_name("verdict", std::string(name), known));
}

bool Judgement::has(Verdict verdict) const {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.verdict == verdict; });
}

void Judgement::add(Finding finding) {
  if (!has(finding.verdict)) findings.push_back(std::move(finding));
}

}  // namespace rigor
