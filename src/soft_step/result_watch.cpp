#include "soft_step/result_watch.h"

#include <algorithm>
#include <cmath>

#include "state/object_names.h"
#include "validate/validator.h"

namespace rigor {

namespace {

constexpr double kLeast = 1e-3;       // m and rad; smaller errors are ignored
constexpr double kPart = 0.5;         // of the smaller body's width
constexpr double kTurn = 0.5;         // rad
constexpr double kExceeded = 0.1;     // rad; chosen: a limit is meant to be seen
constexpr double kMissing = 0.1;      // of the speed that a motor aims at; chosen
constexpr double kSlow = 1e-2;        // m/s or rad/s: least speed that a motor may miss
constexpr double kThrough = 0.5;      // of the thinner body's thickness
constexpr double kLeastDepth = 5e-3;  // m, as for the validator lasting-penetration
constexpr double kLasting = 0.5;      // s, as for that
constexpr double kAgain = 10;         // an error that has grown so many times is reported again

/// m, of the joint's smaller body that moves; 0: none has a shape.
double width_of(const World& world, const StepJoint& joint, const ContinuousCollision& widths) {
  double width = kUnbounded;
  for (const std::uint32_t slot : {joint.slot_a, joint.slot_b})
    if (slot < world.state().awake()) width = std::min(width, 2 * widths.known(world, slot).half_width);
  return std::isfinite(width) ? width : 0;
}

bool has_no_lever(const Row& row) { return length_squared(part(row.J, 0)) + length_squared(part(row.J, 6)) == 0; }

constexpr const char* kNotSolved =
    "a joint tree could not be solved and moved as one rigid body for a part of a step; smaller steps would help";
constexpr const char* kGained =
    "contacts or nets of some bodies would have gained energy, so their velocities were reduced; smaller steps would "
    "help";
constexpr const char* kNotConverged =
    "contacts of bodies with unlike masses could not be solved at once and kept the impulses of the sweeps; smaller "
    "steps would help";
constexpr const char* kTooFast =
    "bodies with contacts turn too fast for the largest number of sub-steps; smaller steps would help";

}  // namespace

void report_failures(const StepFailures& failures, StepContext& c) {
  if (failures.tree_not_solved) c.constraints.report_trouble(c.reports, kNotSolved);
  if (failures.energy_limited) c.constraints.report_trouble(c.reports, kGained);
  if (failures.contacts_not_solved) c.constraints.report_trouble(c.reports, kNotConverged);
  if (failures.too_fast) c.constraints.report_trouble(c.reports, kTooFast);
}

void ResultWatch::begin() {
  found_.clear();
  deepest_ = nullptr, depth_ = relative_depth_ = 0;
}

void ResultWatch::note(const Finding& finding) {
  if (finding.relative > 1) found_.push_back(finding);
}

void ResultWatch::see_joints(StepContext& c, const JointIslands& islands, const SoftJoints& iterative,
                             const ContinuousCollision& widths) {
  const std::vector<StepJoint>& joints = c.constraints.list().joints;
  const auto width = [&](std::uint32_t joint) { return width_of(c.world, joints[joint], widths); };
  for (const JointIsland& island : islands.islands()) {
    const std::size_t before = found_.size();
    island.for_written([&](std::uint32_t joint, const Row& row) { see_row(joints[joint], row, width(joint)); });
    island.for_unbounded_motors(c.constraints.bodies().u, [&](std::uint32_t joint, double target, double missing) {
      see_motor(joints[joint], target, missing);
    });
    if (found_.size() > before && island.has_unbounded_motor())
      for (std::size_t i = before; i < found_.size(); ++i) found_[i].is_driven = true;
  }
  iterative.for_balls([&](std::uint32_t joint) { see_gap(joints[joint], c.world.state(), width(joint)); });
}

void ResultWatch::see_row(const StepJoint& joint, const Row& row, double width) {
  const bool is_limit = row.kind == RowKind::limit;
  if ((row.kind != RowKind::locked && !is_limit) || std::isfinite(row.stiffness)) return;
  const double error = is_limit ? -row.C : std::abs(row.C);
  if (!(error > kLeast)) return;
  const bool turns = has_no_lever(row);
  const double borne = turns ? (is_limit ? kExceeded : kTurn) : std::max(kLeast, kPart * width);
  note({&joint, is_limit ? Fault::exceeded : Fault::open, error, error / borne, turns});
}

void ResultWatch::see_gap(const StepJoint& joint, const BodyState& s, double width) {
  const auto anchor = [&](std::uint32_t slot, const Transform& frame) {
    return s.position[slot] + rotate(s.orientation[slot], frame.translation);
  };
  const double gap = length(anchor(joint.slot_b, joint.frame_b) - anchor(joint.slot_a, joint.frame_a));
  if (gap > kLeast) note({&joint, Fault::open, gap, gap / std::max(kLeast, kPart * width), false});
}

void ResultWatch::see_motor(const StepJoint& joint, double target, double missing) {
  const double borne = std::max(kSlow, kMissing * std::abs(target));
  note({&joint, Fault::motor, std::abs(missing), std::abs(missing) / borne, false});
}

void ResultWatch::see_deep(const ConstraintList& list, std::span<const DeepContact> deep,
                           std::span<const double> thickness) {
  for (const DeepContact& at : deep) {
    const StepContact& contact = list.contacts[at.contact];
    double depth = 0, thinnest = kUnbounded;
    for (int i = 0; i < contact.points; ++i)
      depth = std::max(depth, -static_cast<double>(at.gap[static_cast<std::size_t>(i)]));
    for (const std::uint32_t slot : {contact.slot_a, contact.slot_b})
      if (slot < thickness.size()) thinnest = std::min(thinnest, thickness[slot]);
    const double relative = depth / std::max(kLeastDepth, kThrough * thinnest);
    if (relative <= 1 || relative <= relative_depth_) continue;
    deepest_ = &contact, depth_ = depth, relative_depth_ = relative;
  }
}

void ResultWatch::report(const World& world, double h, std::vector<std::string>& reports) {
  const Finding* worst = nullptr;
  for (const Finding& finding : found_) {
    const auto said = said_.find(finding.joint->id.index);
    const bool is_watched = has_watched_ || finding.fault == Fault::motor;
    const bool is_new = said == said_.end() || finding.relative > kAgain * said->second;
    if (is_watched && is_new && (!worst || finding.relative > worst->relative)) worst = &finding;
  }
  if (worst || !has_watched_)
    for (const Finding& finding : found_) {
      double& said = said_[finding.joint->id.index];
      said = std::max(said, finding.relative);
    }
  has_watched_ = true;
  if (worst) {
    const std::string name = report_name(*worst->joint->def, worst->joint->id);
    const std::string size = report_number(worst->error) + (worst->turns ? " rad" : " m");
    const std::string advice = std::string("; ") + advice_on(worst->is_driven);
    if (worst->fault == Fault::open) reports.push_back(name + " is open by " + size + advice);
    if (worst->fault == Fault::exceeded) reports.push_back("a limit of " + name + " is exceeded by " + size + advice);
    if (worst->fault == Fault::motor)
      reports.push_back("the motor of " + name + " has no bound on its force and does not reach its speed: something " +
                        "contradicts it");
  }
  deep_for_ = deepest_ ? deep_for_ + h : 0;
  if (!(deep_for_ >= kLasting) || relative_depth_ <= 2 * said_depth_) return;
  said_depth_ = relative_depth_;
  const Contact& c = *deepest_->contact;
  reports.push_back(report_name(world, c.a) + " and " + report_name(world, c.b) + " are deep in each other, by " +
                    report_number(depth_) + " m; smaller steps would help");
}

}  // namespace rigor
