// What a comparison found, in three sentences: whether the runs are sound, which is most accurate, which is fastest.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "lab/compare_report.h"

namespace rigor {

/// The largest rise of the total energy above an earlier value, relative to what the run exchanges (reference_energy). What friction
/// and impacts take does not count.
double energy_gained(const std::vector<Sample>& samples);
/// The largest fall of the total energy below an earlier value, relative as above: what friction, impacts and damping took.
double energy_lost(const std::vector<Sample>& samples);
/// What contacts took in impacts and by friction, relative as above; none for engines that report no impulses.
std::optional<ContactWork> relative_contact_work(const CompareRun& run);

std::array<std::string, 3> compare_verdict(const CompareReport& report);

}  // namespace rigor
