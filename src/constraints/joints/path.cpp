// A bead on a wire; the curve is not a parameter but the list "points" of a scene file.
#include "constraints/joints/joint_type.h"

namespace rigor {

namespace {

class PathType final : public JointType {
 public:
  PathType() { kind = PathJoint{}; }
  void fields(FieldVisitor& v) override {
    v.flag("closed", std::get<PathJoint>(kind).closed, "true: the curve is closed, from the last point to the first");
  }
};

}  // namespace

Entry register_path_joint() {
  return joint_entry<PathType>("path", "a point of b slides along a smooth curve of a: a bead on a wire",
                               "Garstenauer 2006, 7.4.3", {"points"});
}

}  // namespace rigor
