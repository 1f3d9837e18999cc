// A knife edge, a skate or a thin wheel: a non-holonomic constraint, on velocities alone (Servin 2011; Neimark, Fufaev 1972).
//
//   n · (v_b(p) − v_a(p)) = 0        n fixed in b, p the edge's point of b
//
// n turns with b, so the equation is not the derivative of one on positions: the edge can reach every place, but at any moment
// moves only along itself. There is no position error C, and nothing to correct. The force acts across the velocity and does no
// work. With a finite `max_force` the edge skids under greater loads, as a skate does.
#include "constraints/joints/rows_joint_type.h"

namespace rigor {

namespace {

class KnifeEdge final : public extend::Joint {
 public:
  static constexpr const char* kName = "knife-edge";

  void fields(FieldVisitor& v) override {
    v.number("max_force", max_force_, {"N", 0, kUnbounded, "across the edge; it skids under more"});
  }
  void write(const extend::JointFrames& f, extend::JointRows& rows) const override {
    rows.drive(0, max_force_, linear_jacobian(f.axis_b[0], f.origin_b - f.center_a, f.origin_b - f.center_b));
  }

 private:
  double max_force_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Entry register_knife_edge_joint() {
  return joint_entry<RowsJointType<KnifeEdge>>(
      KnifeEdge::kName, "a point of b moves along an edge of b only: a skate, a sledge, a thin wheel",
      "Servin 2011; Neimark, Fufaev 1972", {"anchor", "axis"});
}

}  // namespace rigor
