// Targets of motors over time in scene files.
#include "io/scene_parts.h"
#include "rigor/error.h"

namespace rigor {

Drive read_drive(const JsonReader& r, const World& world) {
  r.only({"joint", "axis", "keys", "smooth", "repeat", "sine"});
  Drive drive;
  drive.joint = r.at("joint").name();
  if (const auto axis = r.find("axis")) drive.axis = static_cast<int>(axis->integer(-1, 5));
  r.read("smooth", drive.smooth);
  r.read("repeat", drive.repeat);
  const auto keys = r.find("keys"), sine = r.find("sine");
  if (keys.has_value() == sine.has_value()) r.fail("give either 'keys' or 'sine'");
  if (keys) {
    if (keys->size() == 0) keys->fail_expected("a list of [time, target]");
    for (std::size_t i = 0; i < keys->size(); ++i) {
      const JsonReader key = keys->item(i);
      const std::vector<double> pair = key.numbers(2, kPositionRange);
      drive.keys.push_back({pair[0], pair[1]});
    }
  } else {
    sine->only({"offset", "amplitude", "frequency", "phase"});
    sine->read("offset", drive.offset, kPositionRange);
    sine->read("amplitude", drive.amplitude, kPositionRange);
    sine->read("frequency", drive.frequency, kPositionRange);
    sine->read("phase", drive.phase, kPositionRange);
  }
  located(r, [&] { driven_by({drive}, world); });
  return drive;
}

}  // namespace rigor
