#include "constraints/write_rows.h"

#include "constraints/contact_rows.h"
#include "constraints/joint_limits.h"
#include "constraints/joint_rows.h"
#include "constraints/row_math.h"

namespace rigor {

void write_joint(const StepJoint& joint, const JointContext& context, JointRowList& rows) {
  rows.clear();
  struct Visitor {
    const StepJoint& joint;
    const JointContext& context;
    JointRowList& rows;
    void operator()(const AxesJoint& k) const { write_axes_joint(k, joint, context, rows); }
    void operator()(const DistanceJoint& k) const { write_distance_joint(k, joint, context, rows); }
    void operator()(const PathJoint& k) const { write_path_joint(k, joint, context, rows); }
    void operator()(const GearJoint& k) const { write_gear_joint(k, joint, context, rows); }
    void operator()(const ExtensionJoint& k) const { write_extension_joint(k, joint, context, rows); }
  };
  std::visit(Visitor{joint, context, rows}, joint.def->kind);
}

namespace {

Vec3 arm_b(const StepJoint& joint, const BodyState& s) {
  return rotate(s.orientation[joint.slot_b], joint.frame_b.translation);
}

/// Counts locked rows from the first row on; others may follow.
void write_joints(const ConstraintList& list, const BodyState& state, const StepBodies& bodies,
                  const RowSettings& settings, Rows& rows, std::span<const JointRows> which) {
  rows.restart();
  thread_local JointRowList written;
  const JointContext all{state, list, settings.h, false}, no_locked{state, list, settings.h, false, false};
  for (std::size_t k = 0; k < list.joints.size(); ++k) {
    const StepJoint& joint = list.joints[k];
    const JointRows wanted = which.empty() ? JointRows::all : which[k];
    if (wanted == JointRows::none) continue;
    write_joint(joint, wanted == JointRows::all ? all : no_locked, written);
    if (wanted == JointRows::no_locked && limits_have_room(std::get<AxesJoint>(joint.def->kind)))
      std::erase_if(written, [](const Row& row) { return row.kind == RowKind::limit; });
    if (written.empty()) continue;
    RowBlock block;
    block.a = bodies.place(joint.slot_a), block.b = bodies.place(joint.slot_b);
    block.index = static_cast<std::uint32_t>(k);
    block.arm_b = arm_b(joint, state);
    block.erp = joint.def->erp.value_or(-1);
    rows.begin_block(block);
    for (const Row& row : written) rows.lambda[rows.append(row)] = joint.memory->lambda[row.key];
    prepare_rows(bodies, rows.blocks.back(), rows);
  }
}

}  // namespace

void write_joint_rows(const ConstraintList& list, const BodyState& state, const StepBodies& bodies,
                      const RowSettings& settings, Rows& rows, std::span<const JointRows> which) {
  write_joints(list, state, bodies, settings, rows, which);
  rows.finish();
}

void write_rows(const ConstraintList& list, const BodyState& state, const StepBodies& bodies,
                const RowSettings& settings, Rows& rows) {
  write_joints(list, state, bodies, settings, rows, {});
  for (std::size_t k = 0; k < list.contacts.size(); ++k) {
    const StepContact& contact = list.contacts[k];
    RowBlock block;
    block.source = RowBlock::Source::contact;
    block.a = bodies.place(contact.slot_a), block.b = bodies.place(contact.slot_b);
    block.index = static_cast<std::uint32_t>(k);
    for (int i = 0; i < contact.contact->count; ++i) {
      block.point = static_cast<std::uint32_t>(i);
      const std::size_t before = rows.blocks.size();
      write_contact_point(contact, block.point, state, bodies, settings, block, rows);
      if (rows.blocks.size() > before)
        prepare_rows(bodies, rows.blocks.back(), rows);  // while the rows are in the cache
    }
  }
  rows.finish();
}

namespace {

/// True if a block of locked axes has translations only, which are the first rows of their block.
bool has_translations_only(const RowBlock& b, const Rows& rows) {
  return rows.key[static_cast<std::size_t>(b.end) - 1] < kKeyLocked + 3;
}
/// The same for any block, if they are also rigid.
bool has_locked_translations_only(const ConstraintList& list, const RowBlock& b, const Rows& rows) {
  return b.source == RowBlock::Source::joint && has_translations_only(b, rows) &&
         !std::isfinite(rows.stiffness[static_cast<std::size_t>(b.end) - 1]) &&
         std::holds_alternative<AxesJoint>(list.joints[b.index].def->kind);
}

/// Writes them as axes_joint.cpp does, without what other joints need.
template <bool kJacobians>
void rewrite_translations(const StepJoint& joint, const BodyState& state, RowBlock& b, Rows& rows) {
  const Vec3 &x_a = state.position[joint.slot_a], &x_b = state.position[joint.slot_b];
  const Quat &q_a = state.orientation[joint.slot_a], &q_b = state.orientation[joint.slot_b];
  const Vec3 arm = rotate(q_b, joint.frame_b.translation);
  const Vec3 p_a = x_a + rotate(q_a, joint.frame_a.translation), p_b = x_b + arm;
  const Vec3 d = p_b - p_a;
  const Mat3 axes = rotation_matrix(q_a * joint.frame_a.rotation);
  if (kJacobians) b.arm_b = arm;
  for (auto i = static_cast<std::size_t>(b.begin); i < static_cast<std::size_t>(b.end); ++i) {
    const Vec3 axis = axes.column(rows.key[i] - kKeyLocked);
    rows.C[i] = dot(axis, d);
    if (kJacobians) rows.J[i] = linear_jacobian(axis, p_b - x_a, p_b - x_b), rows.bias[i] = 0;
  }
}

}  // namespace

/// Updates the rows of a joint's block that the joint writes in this context.
static void rewrite_joint(const StepJoint& joint, const JointContext& context, RowBlock& b, Rows& rows) {
  thread_local JointRowList written;
  write_joint(joint, context, written);
  b.arm_b = arm_b(joint, context.state);
  for (auto i = static_cast<std::size_t>(b.begin); i < static_cast<std::size_t>(b.end); ++i)
    for (const Row& row : written)
      if (row.key == rows.key[i]) rows.J[i] = row.J, rows.C[i] = row.C, rows.bias[i] = row.bias;
}

void rewrite_block(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int block,
                   Rows& rows) {
  RowBlock& b = rows.blocks[static_cast<std::size_t>(block)];
  if (b.source == RowBlock::Source::contact) return rewrite_contact_point(list, state, b, rows);
  const StepJoint& joint = list.joints[b.index];
  if (has_locked_translations_only(list, b, rows)) return rewrite_translations<true>(joint, state, b, rows);
  rewrite_joint(joint, {state, list, settings.h, true}, b, rows);
}

void rewrite_without_locked(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int block,
                            Rows& rows) {
  RowBlock& b = rows.blocks[static_cast<std::size_t>(block)];
  rewrite_joint(list.joints[b.index], {state, list, settings.h, true, false}, b, rows);
}

void rewrite_arm(const ConstraintList& list, const BodyState& state, int block, Rows& rows) {
  RowBlock& b = rows.blocks[static_cast<std::size_t>(block)];
  b.arm_b = arm_b(list.joints[b.index], state);
}

void rewrite_errors(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int block,
                    Rows& rows) {
  RowBlock& b = rows.blocks[static_cast<std::size_t>(block)];
  if (!has_locked_translations_only(list, b, rows)) return rewrite_block(list, state, settings, block, rows);
  rewrite_translations<false>(list.joints[b.index], state, b, rows);
}

template <bool kJacobians>
static void rewrite_first(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int blocks,
                          Rows& rows) {
  for (int block = 0; block < blocks; ++block) {
    RowBlock& b = rows.blocks[static_cast<std::size_t>(block)];
    if (has_translations_only(b, rows))
      rewrite_translations<kJacobians>(list.joints[b.index], state, b, rows);
    else
      rewrite_block(list, state, settings, block, rows);
  }
}

void rewrite_locked(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int blocks,
                    Rows& rows) {
  rewrite_first<true>(list, state, settings, blocks, rows);
}

void rewrite_locked_errors(const ConstraintList& list, const BodyState& state, const RowSettings& settings, int blocks,
                           Rows& rows) {
  rewrite_first<false>(list, state, settings, blocks, rows);
}

void prepare_rows(const StepBodies& bodies, const RowBlock& block, Rows& rows) {
  const BodyInverseMass &a = bodies.mass[static_cast<std::size_t>(block.a)],
                        &b = bodies.mass[static_cast<std::size_t>(block.b)];
  for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i) {
    const Jacobian& J = rows.J[i];
    Jacobian& JW = rows.JW[i];
    const Vec3 v_a = a.linear * part(J, 0), w_a = a.angular * part(J, 3);
    const Vec3 v_b = b.linear * part(J, 6), w_b = b.angular * part(J, 9);
    put(JW, 0, v_a), put(JW, 3, w_a), put(JW, 6, v_b), put(JW, 9, w_b);
    rows.diagonal[i] = (dot(part(J, 0), v_a) + dot(part(J, 3), w_a)) + (dot(part(J, 6), v_b) + dot(part(J, 9), w_b));
  }
}

void prepare_rows(const StepBodies& bodies, Rows& rows) {
  for (const RowBlock& block : rows.blocks) prepare_rows(bodies, block, rows);
}

double row_velocity(const Rows& rows, int row, const RowBlock& block, const std::vector<BodyVelocity>& u) {
  return speed_along(rows.J[static_cast<std::size_t>(row)], u[static_cast<std::size_t>(block.a)],
                     u[static_cast<std::size_t>(block.b)]);
}

void apply_row(const Rows& rows, int row, const RowBlock& block, double impulse, std::vector<BodyVelocity>& u) {
  const Jacobian& JW = rows.JW[static_cast<std::size_t>(row)];
  BodyVelocity &a = u[static_cast<std::size_t>(block.a)], &b = u[static_cast<std::size_t>(block.b)];
  a.v += impulse * part(JW, 0), a.w += impulse * part(JW, 3);
  b.v += impulse * part(JW, 6), b.w += impulse * part(JW, 9);
}

namespace {

/// Mean force and torque on body b over h by the rows of a joint's block.
void store_reaction(const Rows& rows, const RowBlock& block, const StepJoint& joint, double h) {
  Vec3 impulse, turn;
  for (int i = block.begin; i < block.end; ++i) {
    const auto r = static_cast<std::size_t>(i);
    impulse += rows.lambda[r] * part(rows.J[r], 6), turn += rows.lambda[r] * part(rows.J[r], 9);
  }
  joint.memory->force = impulse / h;
  joint.memory->torque = (turn - cross(block.arm_b, impulse)) / h;
}

}  // namespace

void store_multipliers(const Rows& rows, const ConstraintList& list, double h, std::span<const JointRows> which,
                       bool same_rows) {
  for (std::size_t i = 0; i < list.joints.size() && !same_rows; ++i) {
    if (!which.empty() && which[i] == JointRows::none) continue;
    JointState& memory = *list.joints[i].memory;
    memory.lambda = {}, memory.force = memory.torque = {};
  }
  for (const RowBlock& block : rows.blocks) {
    if (block.source == RowBlock::Source::contact) {
      store_contact_impulses(rows, block, list.contacts[block.index].contact->points[block.point]);
      continue;
    }
    const StepJoint& joint = list.joints[block.index];
    for (auto i = static_cast<std::size_t>(block.begin); i < static_cast<std::size_t>(block.end); ++i)
      joint.memory->lambda[rows.key[i]] = rows.lambda[i];
    store_reaction(rows, block, joint, h);
  }
}

}  // namespace rigor
