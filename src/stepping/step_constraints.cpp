#include "stepping/step_constraints.h"

#include <algorithm>
#include <cmath>

#include "constraints/joint_rows.h"
#include "math/same_bits.h"

namespace rigor {

namespace {

bool is_rigid_and_plain(const JointDef& def) {
  const AxesJoint* axes = std::get_if<AxesJoint>(&def.kind);
  return axes && std::isinf(axes->stiffness) && has_locked_rows_only(*axes);
}

}  // namespace

void RowCache::keep(const ConstraintList& list, const BodyState& state) {
  list_ = follow_from_poses(list) ? list.version() : 0;
  if (list_ == 0) return;
  position_ = state.position;
  orientation_ = state.orientation;
  inverse_mass_ = state.inverse_mass;
  inverse_inertia_ = state.inverse_inertia;
}

bool RowCache::hold(const ConstraintList& list, const BodyState& state) const {
  return list_ != 0 && list_ == list.version() && list.contacts.empty() && same_bits(state.position, position_) &&
         same_bits(state.orientation, orientation_) && same_bits(state.inverse_mass, inverse_mass_) &&
         same_bits(state.inverse_inertia, inverse_inertia_);
}

bool RowCache::follow_from_poses(const ConstraintList& list) {
  if (seen_ == list.version() && seen_ != 0) return locked_only_;
  seen_ = list.version();
  locked_only_ = std::all_of(list.joints.begin(), list.joints.end(),
                             [](const StepJoint& joint) { return is_rigid_and_plain(*joint.def); });
  return locked_only_;
}

void StepConstraints::begin(World& world, ContactList& found, const RowSettings& row_settings,
                            const ThreadPool& threads) {
  settings = row_settings;
  which_ = {};
  were_reused_ = false;
  list.collect(world, found, &threads);
}

void StepConstraints::clear() {
  list.clear();
  cache_.forget();
  rows.restart();
  rows.finish();
  colliding.clear();
  contacts.clear();
  joints.clear();
  all.clear();
}

void StepConstraints::write(const BodyState& state) {
  cache_.forget();
  write_rows(list, state, bodies, settings, rows);
  classify();
}

void StepConstraints::write_joints(const BodyState& state, std::span<const JointRows> which) {
  which_ = which;
  const bool has_rows = which.empty()
                            ? !list.joints.empty()
                            : std::any_of(which.begin(), which.end(), [](JointRows r) { return r != JointRows::none; });
  if (has_rows) bodies.capture_masses(state);
  cache_.forget();
  write_joint_rows(list, state, bodies, settings, rows, which);
  classify();
}

void StepConstraints::rewrite(const BodyState& state) {
  bodies.capture(state);
  for (const int b : all) rewrite_block(list, state, settings, b, rows);
  prepare_rows(bodies, rows);
}

void StepConstraints::classify() {
  colliding.clear();
  contacts.clear();
  joints.clear();
  all.clear();
  for (int b = 0; b < static_cast<int>(rows.blocks.size()); ++b) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    all.push_back(b);
    if (block.source == RowBlock::Source::joint) joints.push_back(b);
    if (block.source == RowBlock::Source::contact) contacts.push_back(b);
    if (block.colliding) colliding.push_back(b);
  }
}

void StepConstraints::keep(const BodyState& state) {
  if (contacts.empty()) cache_.keep(list, state);
}

bool StepConstraints::reuse(const BodyState& state) {
  were_reused_ = cache_.hold(list, state);
  cache_.forget();
  if (!were_reused_) return false;
  bodies.capture_velocities(state);
  for (const RowBlock& block : rows.blocks) {
    const JointState& memory = *list.joints[block.index].memory;
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      rows.lambda[i] = memory.lambda[rows.key[i]];
  }
  return true;
}

/// An impact with speed s is found at most s h deep; it rebounds with e s and so needs 1/e steps.
bool StepConstraints::parts(const RowBlock& block) const {
  constexpr double kSoon = 4;  // steps; chosen: enough for e ≥ 1/4
  if (block.source != RowBlock::Source::contact) return false;
  const double speed = row_velocity(rows, block.begin, block, bodies.u);
  return speed > settings.restitution_threshold &&
         -rows.C[static_cast<std::size_t>(block.begin)] < kSoon * settings.h * speed;
}

/// Their own velocity takes such contacts out of the overlap. With an additional push, bodies would gain height at every impact
/// that is found below the surface.
void StepConstraints::leave_parting_contacts() {
  for (const RowBlock& block : rows.blocks) {
    const auto n = static_cast<std::size_t>(block.begin);
    if (block.source != RowBlock::Source::contact || rows.C[n] >= 0) continue;
    if (rows.bias[n] > 0 || parts(block)) rows.C[n] = 0;
  }
}

void StepConstraints::fade_joint_impulses(const Baumgarte& correction) {
  // Sweeps that have not converged add a part of the residual to the warm-start impulse, dλ/dt ~ −erp C/h − dC/dt, and the
  // impulse acts on the acceleration: s³ + (δ/h) s² + a s + a erp/h = 0 for impulses that decay by δ per step. By Routh that
  // is stable for δ > erp only; without decay, the soft modes of a chain grow without bounds.
  constexpr double kMargin = 1.25;  // chosen; 1 is the limit
  for (const int b : joints) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    const double kept = std::max(0.0, 1 - kMargin * correction.of(block).erp);
    for (int i = block.begin; i < block.end; ++i) rows.lambda[static_cast<std::size_t>(i)] *= kept;
  }
}

bool StepConstraints::joints_are_corrected(const Baumgarte& correction) const {
  return std::any_of(joints.begin(), joints.end(),
                     [&](int b) { return correction.of(rows.blocks[static_cast<std::size_t>(b)]).erp > 0; });
}

void StepConstraints::add_impulses(std::span<const int> blocks, const BodyState& state, StepImpulses& impulses) const {
  for (const int b : blocks) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    if (block.source != RowBlock::Source::contact) continue;
    const StepContact& c = list.contacts[block.index];
    impulses.add(*c.contact, block.point, c.slot_a, state, rows.lambda[static_cast<std::size_t>(block.begin)]);
  }
}

void StepConstraints::add_normal_impulses(std::span<const double> by_block, const BodyState& state,
                                          StepImpulses& impulses) const {
  for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
    const RowBlock& block = rows.blocks[b];
    if (block.source != RowBlock::Source::contact) continue;
    const StepContact& c = list.contacts[block.index];
    impulses.add(*c.contact, block.point, c.slot_a, state, by_block[b]);
  }
}

void StepConstraints::record_impulses(std::span<const int> blocks, StepImpulses& impulses) const {
  if (!impulses.records) return;
  for (const int b : blocks) {
    const RowBlock& block = rows.blocks[static_cast<std::size_t>(b)];
    ConstraintImpulse of;
    bool any = false;
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
      const Jacobian& J = rows.J[i];
      const double lambda = rows.lambda[i];
      any = any || lambda != 0;
      of.linear_a += lambda * Vec3{J[0], J[1], J[2]};
      of.angular_a += lambda * Vec3{J[3], J[4], J[5]};
      of.linear_b += lambda * Vec3{J[6], J[7], J[8]};
      of.angular_b += lambda * Vec3{J[9], J[10], J[11]};
    }
    if (block.source == RowBlock::Source::contact) {
      const Contact& c = *list.contacts[block.index].contact;
      of.a = c.a;
      of.b = c.b;
      of.part_a = c.part_a;
      of.part_b = c.part_b;
      of.key = c.points[block.point].key;
    } else {
      const StepJoint& joint = list.joints[block.index];
      of.source = ConstraintImpulse::Source::joint;
      of.a = joint.def->a;
      of.b = joint.def->b;
      of.joint = joint.id;
    }
    if (any) impulses.by_constraint().push_back(of);
  }
}

}  // namespace rigor
