// Removes bodies whose center of mass has left a box or a ball: bodies that fell off the edge would be simulated for ever (7.5.6).
#include <algorithm>

#include "registry/entry.h"
#include "validate/validator.h"

namespace rigor {

namespace {

class WorldBoundary final : public Validator {
 public:
  void fields(FieldVisitor& v) override {
    v.choice("shape", shape_, {"box", "sphere"}, "the region that bodies must not leave");
    v.vector("center", center_, {"m", -kUnbounded, kUnbounded, "center of the box or sphere"});
    v.number("half_x", half_.x, {"m", kPositive, kUnbounded, "half side of the box along x"});
    v.number("half_y", half_.y, {"m", kPositive, kUnbounded, "half side of the box along y"});
    v.number("half_z", half_.z, {"m", kPositive, kUnbounded, "half side of the box along z"});
    v.number("radius", radius_, {"m", kPositive, kUnbounded, "radius of the sphere"});
  }

  void validate(ValidatorContext& c) override {
    const BodyState& s = c.world.state();
    std::vector<BodyId> gone;
    for (std::uint32_t i = 0; i < s.end(BodySet::sleeping); ++i)
      if (!is_inside(s.position[i] - center_)) gone.push_back(c.world.id_at(i));
    std::sort(gone.begin(), gone.end());
    for (const BodyId id : gone) {
      c.reports.push_back("body '" + c.world.name(id) + "' left the world at t = " + report_number(c.time) +
                          " s and was removed");
      c.world.remove_body(id);
    }
  }

 private:
  bool is_inside(const Vec3& p) const {
    if (shape_ == "sphere") return length(p) <= radius_;
    return std::abs(p.x) <= half_.x && std::abs(p.y) <= half_.y && std::abs(p.z) <= half_.z;
  }

  std::string shape_ = "box";
  Vec3 center_, half_{1000, 1000, 1000};
  double radius_ = 1000;
};

}  // namespace

Entry register_world_boundary() {
  return {Kind::validator,
          "world-boundary",
          "removes bodies that have left a box or a sphere, and reports them",
          "Garstenauer 2006, 7.5.6",
          {},
          make_default<WorldBoundary>,
          {}};
}

}  // namespace rigor
