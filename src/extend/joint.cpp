// Joints of extensions: their type in the registry, and equality of two of them. constraints/extension_joint.cpp writes their rows.
#include "rigor/extend/joint.h"

#include "constraints/joints/joint_type.h"
#include "extend/adapters.h"
#include "registry/extension_call.h"

namespace rigor {

bool ExtensionJoint::operator==(const ExtensionJoint& other) const {
  if (type != other.type || !joint != !other.joint) return false;
  return joint == other.joint || settings_of(*joint) == settings_of(*other.joint);
}

namespace {

/// Parameters belong to an instance that other joints may share, so a visit changes a copy, which then replaces it.
class ExtensionJointType final : public JointType {
 public:
  explicit ExtensionJointType(const Extension& extension) : extension_(extension) {
    kind = ExtensionJoint{extension.name, extension.instance<extend::Joint>()};
  }

  void fields(FieldVisitor& v) override {
    ExtensionJoint& mine = std::get<ExtensionJoint>(kind);
    std::unique_ptr<extend::Joint> copy = extension_.instance<extend::Joint>();
    configure(*copy, settings_of(*mine.joint), extension_name(Kind::joint, extension_.name));
    visit_extension(Kind::joint, extension_.name, *copy, v);
    mine.joint = std::move(copy);
  }

 private:
  Extension extension_;
};

}  // namespace

std::unique_ptr<Configurable> adapt_joint(const Extension& extension) {
  return std::make_unique<ExtensionJointType>(extension);
}

}  // namespace rigor
