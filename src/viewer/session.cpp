#include "viewer/session.h"

#include <algorithm>
#include <cmath>

#include "lab/metrics.h"
#include "rigor/error.h"

namespace rigor::viewer {

namespace {

std::uint32_t inactive_bodies(const Runs& runs) {
  std::uint32_t sum = 0;
  for (const Simulation& s : runs)
    sum += s.world().state().end(BodySet::inactive) - s.world().state().begin(BodySet::inactive);
  return sum;
}

/// False if a joint of a drive has been removed.
bool has_joints(const Drive& drive, const World& world) {
  return world.find_joint(drive.joint) && (!drive.follow || world.find_joint(drive.follow->joint));
}

/// Updates the names of bodies in the camera settings, and drops camera settings and drives of removed objects.
void follow_names(const World& before, Scene& scene) {
  const World& now = scene.world;
  const auto current = [&](const std::string& name) {
    const BodyId id = before.find_body(name);
    return now.contains(id) ? now.name(id) : std::string();
  };
  scene.camera.follow = current(scene.camera.follow);
  for (std::string& name : scene.camera.trails) name = current(name);
  std::erase(scene.camera.trails, std::string());
  std::erase_if(scene.drives, [&](const Drive& drive) { return !has_joints(drive, now); });
  // Lights, cameras and sensors of a removed body are removed with it. An empty name is the world.
  const auto is_lost = [&](std::string& name) {
    if (name.empty()) return false;
    name = current(name);
    return name.empty();
  };
  std::erase_if(scene.appearance.lights, [&](Light& light) { return is_lost(light.body); });
  std::erase_if(scene.appearance.cameras, [&](MountedCamera& c) { return is_lost(c.body) || is_lost(c.target); });
  std::erase_if(scene.sensors, [&](SceneSensor& s) { return is_lost(s.body); });
}

/// What the overlays draw; a method that looks for no contacts has none.
void show_contacts(Simulation& s) {
  if (s.method().broadphase.name != "none") s.find_contacts();
}

}  // namespace

void Session::open(Scene scene) {
  Simulation first = make_simulation(scene);  // throws before anything is changed
  reports_.clear();
  hands_on();
  scene_ = std::move(scene);
  start_ = scene_.world;
  runs_.clear();
  runs_.push_back(std::move(first));
  playing_ = false;
  wanted_steps_ = 0;
  ++opened_, ++method_version_;
  undo_.clear();
  redo_.clear();
  start_over();
}

void Session::reset() {
  Runs fresh;
  for (const Simulation& s : runs_) {
    fresh.emplace_back(start_, s.method(), s.time_settings());
    std::vector<Drive> drives = scene_.drives;
    std::erase_if(drives, [&](const Drive& drive) { return !has_joints(drive, start_); });
    if (!drives.empty()) fresh.back().set_before_step(driven_by(drives, start_));
  }
  hands_on();
  runs_ = std::move(fresh);
  playing_ = false;
  wanted_steps_ = 0;
  start_over();
}

void Session::start_over() {
  springs_.clear();
  history_.clear();
  samples_.clear();
  for (Simulation& s : runs_) show_contacts(s);
  history_.keep(0, runs_);
  take_sample(std::vector<Profile>(runs_.size()), std::vector<StepTruth>(runs_.size()));
  ++scene_version_, ++state_version_, ++motion_version_;
}

Scene Session::edited_scene() const {
  Scene scene = scene_;
  scene.world = runs_.front().world();
  follow_names(scene_.world, scene);
  scene.method = runs_.front().method();
  scene.time = runs_.front().time_settings();
  return scene;
}

void Session::set_method(std::size_t run, const Method& method) {
  if (run >= runs_.size()) throw Error("there is no simulation " + std::to_string(run + 1));
  runs_[run].set_method(method);
  ++method_version_;
  edited();
}

void Session::compare(const std::vector<Method>& methods) {
  if (methods.empty() || methods.size() > kMaxRuns)
    throw Error("one to " + std::to_string(kMaxRuns) + " simulations can run side by side");
  Runs changed;
  for (const Method& method : methods) {
    changed.push_back(runs_.front());
    if (method != changed.back().method()) changed.back().set_method(method);
  }
  runs_ = std::move(changed);
  history_.clear();
  samples_.clear();
  ++method_version_;
  take_sample(std::vector<Profile>(runs_.size()), std::vector<StepTruth>(runs_.size()));
  edited();
}

void Session::set_step(double seconds) {
  TimeSettings settings = runs_.front().time_settings();
  settings.step = seconds;
  for (Simulation& s : runs_) s.set_time_settings(settings);
  edited();
}

Session::Moment Session::present() const {
  Moment moment;
  for (const Simulation& s : runs_) moment.runs.push_back(s.save());
  moment.start = start_;
  moment.materials = scene_.materials;
  return moment;
}

void Session::remember() {
  undo_.push_back(present());
  redo_.clear();
  if (undo_.size() > kMaxUndos) undo_.pop_front();
}

bool Session::exchange(std::deque<Moment>& from, std::deque<Moment>& to) {
  if (from.empty()) return false;
  to.push_back(present());
  const Moment moment = std::move(from.back());
  from.pop_back();
  while (runs_.size() > moment.runs.size()) runs_.pop_back();
  while (runs_.size() < moment.runs.size()) runs_.push_back(runs_.front());
  for (std::size_t i = 0; i < runs_.size(); ++i) runs_[i].restore(moment.runs[i]);
  start_ = moment.start;
  scene_.materials = moment.materials;
  playing_ = false;
  wanted_steps_ = 0;
  springs_.clear();
  hands_on();
  history_.forget_after(steps());
  history_.keep(steps(), runs_);
  ++method_version_, ++scene_version_, ++state_version_, ++motion_version_;
  return true;
}

void Session::edited() {
  hands_on();
  if (steps() == 0) start_ = runs_.front().world();
  for (Simulation& s : runs_)
    if (!playing_) show_contacts(s);
  history_.keep(steps(), runs_);
  ++scene_version_, ++state_version_, ++motion_version_;
}

void Session::hands_on() {
  if (!recording_ || recording_->ended()) return;
  recording_->end();
  reports_.push_back("The recording ended after " + std::to_string(recording_->steps()) +
                     " steps: a replay cannot repeat changes by the user.");
  ++state_version_;
}

void Session::start_recording() {
  if (runs_.size() > 1) throw Error("a recording holds one simulation; remove the others from the comparison first");
  const std::string text = write_scene(edited_scene());
  const Scene scene = parse_scene(text);
  Simulation first = make_simulation(scene);
  recording_ = std::make_unique<RunRecording>(text, first);
  start_ = scene.world;
  runs_.assign(1, first);
  start_over();
  runs_.front() = std::move(first);  // a replay looks for contacts in its first step, not before
}

std::string Session::take_recording() {
  if (!recording_) throw Error("nothing has been recorded");
  std::string bytes = recording_->take();
  recording_.reset();
  ++state_version_;
  return bytes;
}

void Session::play() {
  wanted_steps_ = 0;
  playing_ = true;
  ++state_version_;
}

bool Session::step() {
  std::vector<double> energy_before;
  std::vector<Profile> profiles(runs_.size());
  std::vector<StepTruth> truth(runs_.size());
  const std::uint32_t inactive_before = inactive_bodies(runs_);
  // Drops rows that were rewound: they are not the past of the next step.
  while (!samples_.empty() && samples_.back().step > steps()) samples_.pop_back();
  history_.forget_after(steps());
  try {
    const InterruptibleThread until_wanted(interruption);
    for (Simulation& s : runs_) {
      if (rules.energy) energy_before.push_back(s.energy().total());
      for (auto& [who, spring] : springs_) spring.apply(s.world(), s.time_settings().step);
      const std::size_t run = static_cast<std::size_t>(&s - runs_.data());
      truth[run].before(s);
      {
        const ProfiledThread here(profiles[run]);
        s.step();
      }
      truth[run].after(s);
      for (std::string& report : s.take_reports()) reports_.push_back(std::move(report));
    }
  } catch (const Error& error) {  // some simulations made the step, others did not: restores the state before it
    if (recording_) recording_->end();
    history_.restore(steps(), runs_);
    ++motion_version_;
    stop(error.what());
    return true;
  } catch (const Interrupted&) {
    history_.restore(steps(), runs_);
    return false;
  }
  ++motion_version_;
  if (wanted_steps_ > 0 && --wanted_steps_ == 0) ++state_version_;  // done: the page may want to know
  take_events();
  take_sample(profiles, truth);
  history_.keep(steps(), runs_);
  if (recording_) recording_->record(runs_.front());
  check_rules(energy_before, inactive_before);
  return true;
}

void Session::take_events() {
  for (const Event& event : runs_.front().events()) {
    if (event.kind == Event::Kind::joint_broken) ++scene_version_;
    if (event.kind == Event::Kind::contact_begin && event.speed > 0 && impacts_.size() < kMaxImpacts)
      impacts_.push_back({event.point, event.speed, event.impulse, event.a, event.b});
  }
}

void Session::take_sample(const std::vector<Profile>& profiles, const std::vector<StepTruth>& truth) {
  SampleRow row{rows_++, steps(), time(), {}};
  for (std::size_t i = 0; i < runs_.size(); ++i) row.runs.push_back(measure(runs_[i], &profiles[i], &truth[i]));
  samples_.push_back(std::move(row));
  if (samples_.size() > kMaxSamples) samples_.pop_front();
}

void Session::check_rules(const std::vector<double>& energy_before, std::uint32_t inactive_before) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Simulation& s = runs_[i];
    if (!is_finite(s)) return stop("a number is no longer finite");
    const double depth = summarize(s.contacts()).max_depth;
    if (rules.penetration && depth > rules.depth) return stop("bodies overlap by " + std::to_string(depth) + " m");
    if (!rules.energy) continue;
    const double after = s.energy().total();
    const double scale = std::max(std::abs(energy_before[i]), s.energy().kinetic);
    if (std::abs(after - energy_before[i]) > rules.jump * scale)
      return stop("the energy went from " + std::to_string(energy_before[i]) + " J to " + std::to_string(after) +
                  " J in one step");
  }
  if (rules.non_finite && inactive_bodies(runs_) > inactive_before) stop("a body was removed");
}

void Session::stop(const std::string& why) {
  playing_ = false;
  wanted_steps_ = 0;
  reports_.push_back("Stopped at step " + std::to_string(steps()) + ": " + why);
  ++state_version_;
}

void Session::seek(std::uint64_t step) {
  if (!history_.restore(step, runs_)) return;
  hands_on();
  playing_ = false;
  wanted_steps_ = 0;
  springs_.clear();
  ++method_version_, ++scene_version_, ++state_version_, ++motion_version_;
}

void Session::drag(int who, const Vec3& target) {
  const auto found = springs_.find(who);
  if (found == springs_.end()) return;
  MouseSpring& spring = found->second;
  spring.target = target;
  if (playing_ || !runs_.front().world().contains(spring.body)) return;
  // While paused, the body follows the mouse at once, without turning.
  for (Simulation& s : runs_) {
    World& world = s.world();
    if (!world.contains(spring.body)) continue;
    const Vec3 x = world.position(spring.body) + target - world.to_world(spring.body, spring.point);
    world.set_pose(spring.body, x, world.orientation(spring.body));
    show_contacts(s);
  }
  if (steps() == 0) start_ = runs_.front().world();
  history_.keep(steps(), runs_);
  ++motion_version_;
}

}  // namespace rigor::viewer
