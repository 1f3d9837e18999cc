#include "lab/film_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "lab/still.h"
#include "lab/svg_plot.h"

namespace rigor {

namespace {

constexpr int kGap = 8, kLine = 20;  // pixels
constexpr double kRounding = 1e-9;   // s: tolerance for rounding in sums of steps
constexpr const char* kStyle = R"(<style>
text { font: 12px "Inter", "Segoe UI", "DejaVu Sans", sans-serif; fill: #5b6270; }
.sky { fill: #f1f5fa; stroke: #dfe3e9; }
)";

}  // namespace

FilmStrip::FilmStrip(const Simulation& simulation, std::vector<double> instants)
    : bodies_(moving_bodies(simulation.world())), instants_(std::move(instants)) {
  scene_.world = simulation.world();
  for (double& t : instants_) t += simulation.time();
  std::sort(instants_.begin(), instants_.end(), std::greater<>());
}

void FilmStrip::see(const Simulation& simulation) {
  if (instants_.empty() || simulation.time() < instants_.back() - kRounding) return;
  while (!instants_.empty() && simulation.time() >= instants_.back() - kRounding) instants_.pop_back();
  const World& world = simulation.world();
  pictures_.push_back({simulation.time(), pictures_.empty() ? poses_of(scene_.world) : pictures_.back().poses});
  for (std::size_t i = 0; i < bodies_.size(); ++i)  // a removed body is drawn at its last pose
    if (world.contains(bodies_[i]))
      pictures_.back().poses[i] = {world.position(bodies_[i]), world.orientation(bodies_[i])};
}

std::vector<BodyPose> FilmStrip::poses_of(const World& world) const {
  std::vector<BodyPose> poses;
  for (const BodyId id : bodies_) poses.push_back({world.position(id), world.orientation(id)});
  return poses;
}

std::string FilmStrip::svg(const std::string& caption) const {
  std::vector<std::vector<BodyPose>> seen;
  for (const Picture& picture : pictures_) seen.push_back(picture.poses);
  const Camera camera = fitting_camera(scene_, seen);
  const int count = std::max(1, static_cast<int>(pictures_.size()));
  const int width = count * (kStillWidth + kGap) - kGap, height = kStillHeight + 2 * kLine;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\">\n{2}{3}</style>\n",
      width, height, kStyle, still_style());
  for (std::size_t i = 0; i < pictures_.size(); ++i) {
    const int left = static_cast<int>(i) * (kStillWidth + kGap);
    out += fmt::format(
        "<svg x=\"{}\" width=\"{}\" height=\"{}\"><rect class=\"sky\" width=\"100%\" height=\"100%\"/>{}</svg>\n", left,
        kStillWidth, kStillHeight, render_still(scene_, pictures_[i].poses, camera));
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{:.3g} s</text>\n", left + kStillWidth / 2,
                       kStillHeight + kLine - 5, pictures_[i].time);
  }
  return out + fmt::format("<text x=\"0\" y=\"{}\">{}</text>\n</svg>\n", height - 5, xml_text(caption));
}

}  // namespace rigor
