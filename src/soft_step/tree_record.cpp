#include "soft_step/tree_record.h"

namespace rigor {

void TreeRecord::begin(const JointTrees& trees) {
  links_ = trees.links();
  gained_.assign(links_.size(), {});
}

TreeRecord::Momentum TreeRecord::momentum(const BodyState& s, const BodyVelocity& u, std::uint32_t slot) {
  const Quat& q = s.orientation[slot];
  return {(1 / s.inverse_mass[slot]) * u.v, rotate(q, scale(s.inertia[slot], rotate_inverse(q, u.w)))};
}

void TreeRecord::start(const BodyState& s, std::span<const BodyVelocity> u) {
  before_.clear();
  for (const TreeLink& link : links_) before_.push_back(momentum(s, u[link.body], link.body));
}

void TreeRecord::stop(const BodyState& s, std::span<const BodyVelocity> u) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const Momentum now = momentum(s, u[links_[k].body], links_[k].body);
    gained_[k].p += now.p - before_[k].p;
    gained_[k].L += now.L - before_[k].L;
  }
}

void TreeRecord::write(const ConstraintList& list, const BodyState& s, std::vector<ConstraintImpulse>& to) {
  for (std::size_t k = links_.size(); k-- > 0;) {  // children come after their parents
    const TreeLink& link = links_[k];
    if (link.joint < 0) continue;
    const Vec3 pivot = s.position[link.body] + rotate(s.orientation[link.body], link.own.translation);
    const Momentum& own = gained_[k];
    const Vec3 turn = own.L + cross(s.position[link.body] - pivot, own.p);
    const Momentum back{own.p, turn + cross(pivot - s.position[link.parent_body], own.p)};
    if (link.parent >= 0) {
      Momentum& parent = gained_[static_cast<std::size_t>(link.parent)];
      parent.p += back.p;
      parent.L += back.L;
    }
    const StepJoint& joint = list.joints[static_cast<std::size_t>(link.joint)];
    ConstraintImpulse of;
    of.source = ConstraintImpulse::Source::joint;
    of.a = joint.def->a;
    of.b = joint.def->b;
    of.joint = joint.id;
    (link.is_b ? of.linear_b : of.linear_a) = own.p;
    (link.is_b ? of.angular_b : of.angular_a) = own.L;
    (link.is_b ? of.linear_a : of.linear_b) = -back.p;
    (link.is_b ? of.angular_a : of.angular_b) = -back.L;
    to.push_back(of);
  }
  gained_.assign(links_.size(), {});
}

}  // namespace rigor
