// Joint types whose rows are an extend::Joint of this folder: the type in the registry, and its parameters.
#pragma once

#include <memory>
#include <utility>

#include "constraints/joints/joint_type.h"
#include "rigor/extend/joint.h"

namespace rigor {

/// `Rows` is an extend::Joint. Joints share the instance that holds their parameters, so every visit is to a copy, which then
/// takes its place.
template <class Rows> class RowsJointType final : public JointType {
 public:
  RowsJointType() { kind = ExtensionJoint{Rows::kName, std::make_shared<const Rows>()}; }

  void fields(FieldVisitor& v) override {
    ExtensionJoint& mine = std::get<ExtensionJoint>(kind);
    auto copy = std::make_shared<Rows>(static_cast<const Rows&>(*mine.joint));
    copy->fields(v);
    mine.joint = std::move(copy);
  }
};

}  // namespace rigor
