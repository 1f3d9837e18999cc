#include "lab/compare_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace rigor {

namespace {

constexpr double kNoGain = 1e-3;  // relative rise of the energy that a sentence does not mention

using Row = CompareResult::Row;

/// A figure of each run that reached its end; none of the others.
struct Figures {
  std::vector<std::optional<double>> values;
  std::size_t best = 0, worst = 0;
  int count = 0;

  template <class F> Figures(const CompareReport& r, F figure) {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (std::size_t k = 0; k < r.entries.size(); ++k) {
      const Row& row = r.result.rows[k];
      values.push_back(row.run.trouble.empty() ? std::optional<double>(figure(row)) : std::nullopt);
      if (!values[k] || !std::isfinite(*values[k])) continue;
      ++count;
      if (*values[k] < least) least = *values[k], best = k;
      if (*values[k] > most) most = *values[k], worst = k;
    }
  }
  double at(std::size_t k) const { return *values[k]; }
};

std::string length_words(double m) {
  if (m < kRounding) return "rounding";
  if (m < 1e-6) return fmt::format("{:.3g} nm", 1e9 * m);
  if (m < 1e-3) return fmt::format("{:.3g} µm", 1e6 * m);
  return m < 1 ? fmt::format("{:.3g} mm", 1e3 * m) : fmt::format("{:.3g} m", m);
}

std::string speed_words(double m_per_s) { return m_per_s < kRounding ? "rounding" : length_words(m_per_s) + "/s"; }

std::string percent_words(double part) {
  if (part < kNoGain) return "next to nothing";
  return part < 0.1 ? fmt::format("{:.2g} %", 100 * part) : fmt::format("{:.0f} %", 100 * part);
}

std::string time_words(double ms) { return ms < 1 ? fmt::format("{:.2g} µs", 1e3 * ms) : fmt::format("{:.2g} ms", ms); }

/// Whether something in the scene may put energy in.
bool has_sources(const Scene& scene) {
  if (!scene.drives.empty()) return true;
  for (const JointId id : scene.world.joints()) {
    const auto* axes = std::get_if<AxesJoint>(&scene.world.joint(id).kind);
    if (axes && std::any_of(axes->axes.begin(), axes->axes.end(),
                            [](const JointAxis& axis) { return axis.motor.kind != AxisMotor::Kind::none; }))
      return true;
  }
  for (const ForceId id : scene.world.forces()) {
    const std::string_view type = scene.world.force(id).effect->type();
    if (type == "explosion" || type == "point-force" || type == "magnets") return true;
  }
  for (const BodyId id : scene.world.bodies())
    if (scene.world.is_fixed(id) &&
        (length(scene.world.velocity(id)) > 0 || length(scene.world.body_def(id).material.surface_velocity) > 0))
      return true;
  return false;
}

/// The subject of a sentence about all runs that reached their ends.
std::string all_of(const CompareReport& r, int count) {
  if (static_cast<std::size_t>(count) < r.entries.size()) return "the others all";
  return count == 2 ? "both" : "all";
}

std::string soundness(const CompareReport& r) {
  std::string broken;
  for (std::size_t k = 0; k < r.entries.size(); ++k)
    if (!r.result.rows[k].run.trouble.empty())
      broken += (broken.empty() ? "" : "; ") + r.entries[k].name + " did not: " + r.result.rows[k].run.trouble;
  const std::string all = r.entries.size() == 1 ? "The run reached its end" : "Every run reached its end";
  const std::string begin = broken.empty() ? all : "Not every run reached its end (" + broken + ")";
  const Figures gained(r, [](const Row& row) { return energy_gained(row.run.motion); });
  if (gained.count == 0) return begin + ".";
  if (gained.at(gained.worst) < kNoGain)
    return begin + (r.entries.size() == 1 ? " and gained no energy." : ", and none of them gained energy.");
  const std::string most = percent_words(gained.at(gained.worst)), least = percent_words(gained.at(gained.best));
  const bool alike = gained.count > 1 && most == least;  // a winner by digits that are not shown would be none
  const std::string who = alike ? all_of(r, gained.count) : r.entries[gained.worst].name;
  std::string text = fmt::format("{}; {} gained {} energy", begin, who, most);
  text += has_sources(r.entries.front().scene) ? ", some of which motors and forces may have put in"
                                               : ", which nothing in the scene explains";
  if (gained.best != gained.worst && !alike)
    text += fmt::format("; {} gained least ({})", r.entries[gained.best].name, least);
  return text + ".";
}

/// "soft-step keeps … best, to 1 mm; garstenauer to 3 mm at worst"
std::string ranking(const CompareReport& r, const Figures& f, const std::string& what) {
  if (f.at(f.worst) < kRounding) return fmt::format("All keep {} to rounding", what);
  if (f.count == 1 || f.at(f.worst) < 1.05 * f.at(f.best))
    return fmt::format("{} {} to {}", f.count == 1 ? "It keeps" : "All keep", what, length_words(f.at(f.worst)));
  return fmt::format("{} keeps {} best, to {}, and {} worst, to {}", r.entries[f.best].name, what,
                     length_words(f.at(f.best)), r.entries[f.worst].name, length_words(f.at(f.worst)));
}

/// "; nsgs obeys the law of contact best, to 20 nm/s, and tgs worst, to 0.7 mm/s"
std::string law_of_contact(const CompareReport& r) {
  const Figures law(r, [](const Row& row) { return truth_rms(row.run, "natural_map"); });
  if (law.count < 2 || law.at(law.worst) < 1.05 * law.at(law.best)) return {};
  return fmt::format("; {} obeys the law of contact best, to {}, and {} worst, to {}", r.entries[law.best].name,
                     speed_words(law.at(law.best)), r.entries[law.worst].name, speed_words(law.at(law.worst)));
}

std::string accuracy(const CompareReport& r) {
  const Figures depth(r, [](const Row& row) { return largest(row.run.penetration); });
  const Figures joints(r, [](const Row& row) { return largest(row.run.joint_error); });
  if (depth.count == 0) return "No run can be judged for accuracy.";
  const bool has_joints = r.entries.front().scene.world.joint_count() > 0;
  const bool by_joints = has_joints && joints.at(joints.worst) >= depth.at(depth.worst);
  std::string text = ranking(r, by_joints ? joints : depth, by_joints ? "joints closed" : "bodies apart");
  text += law_of_contact(r);
  if (!r.options.precision || r.entries.size() < 2) return text + ".";
  const double blur = reference_blur(r.result, r.options);
  const Figures distance(r, [](const Row& row) {
    return row.precision.empty() ? std::numeric_limits<double>::quiet_NaN() : row.precision.front().error;
  });
  if (distance.count < 2 || !std::isfinite(blur)) return text + ".";
  if (blur > 0.5 * distance.at(distance.worst))
    return text +
           fmt::format(
               "; where bodies end tells nothing here, for the reference itself still moves by {} when its step is "
               "halved.",
               length_words(blur));
  const std::string near = distance.at(distance.best) < blur
                               ? fmt::format("nearer than {}, to which the reference is known", length_words(blur))
                               : length_words(distance.at(distance.best)) + " in the mean";
  return text +
         fmt::format("; bodies stay nearest to the reference under {} ({}) and go farthest from it under {} ({}).",
                     r.entries[distance.best].name, near, r.entries[distance.worst].name,
                     length_words(distance.at(distance.worst)));
}

std::string speed(const CompareReport& r) {
  const Figures time(r, [](const Row& row) { return row.run.step_times.median; });
  if (time.count == 0) return "No run can be judged for speed.";
  if (time.count == 1)
    return fmt::format("A step of {} takes {}.", r.entries[time.best].name, time_words(time.at(time.best)));
  const double ratio = time.at(time.worst) / time.at(time.best);
  const double asleep = r.result.rows[time.best].run.asleep;
  const std::string sleep = asleep > 0.5 ? fmt::format(" (all bodies sleep in {:.0f} % of them)", 100 * asleep) : "";
  return fmt::format("{} is fastest, {} a step{}, and {} needs {} times as long.", r.entries[time.best].name,
                     time_words(time.at(time.best)), sleep, r.entries[time.worst].name,
                     ratio < 100 ? fmt::format("{:.2g}", ratio) : fmt::format("{:.0f}", ratio));
}

}  // namespace

double energy_gained(const std::vector<Sample>& samples) {
  double lowest = std::numeric_limits<double>::infinity(), rise = 0;
  for (const Sample& s : samples) {
    lowest = std::min(lowest, s.total());
    rise = std::max(rise, s.total() - lowest);
  }
  const double size = reference_energy(samples);
  return size > 0 ? rise / size : 0;
}

double energy_lost(const std::vector<Sample>& samples) {
  double highest = -std::numeric_limits<double>::infinity(), fall = 0;
  for (const Sample& s : samples) {
    highest = std::max(highest, s.total());
    fall = std::max(fall, highest - s.total());
  }
  const double size = reference_energy(samples);
  return size > 0 ? fall / size : 0;
}

std::optional<ContactWork> relative_contact_work(const CompareRun& run) {
  const double size = reference_energy(run.motion);
  if (!run.contact_work || !(size > 0)) return run.contact_work;
  return ContactWork{run.contact_work->impacts / size, run.contact_work->friction / size};
}

std::array<std::string, 3> compare_verdict(const CompareReport& report) {
  return {soundness(report), accuracy(report), speed(report)};
}

}  // namespace rigor
