// An ellipsoid with the semi-axes a, b, c:  support(d) = (a² d_x, b² d_y, c² d_z) / |(a d_x, b d_y, c d_z)|
#include "rigor/extend/plugin.h"

namespace {

using rigor::Vec3;

class Ellipsoid final : public rigor::extend::Shape {
 public:
  void fields(rigor::FieldVisitor& v) override {
    v.number("x", axes_.x, {"m", rigor::kPositive, 1e6, "semi-axis along x"});
    v.number("y", axes_.y, {"m", rigor::kPositive, 1e6, "semi-axis along y"});
    v.number("z", axes_.z, {"m", rigor::kPositive, 1e6, "semi-axis along z"});
  }

  Vec3 support(const Vec3& d) const override {
    const Vec3 scaled = scale(axes_, d);
    return scale(axes_, scaled) / length(scaled);
  }

  std::optional<rigor::MassProperties> mass() const override {
    const Vec3 squares = scale(axes_, axes_);
    const double m = 4.0 / 3 * rigor::kPi * axes_.x * axes_.y * axes_.z;
    return rigor::MassProperties{
        m,
        {},
        rigor::Mat3::diagonal(m / 5 * Vec3{squares.y + squares.z, squares.z + squares.x, squares.x + squares.y})};
  }

 private:
  Vec3 axes_{1, 1, 1};
};

}  // namespace

RIGOR_PLUGIN(registrar) {
  registrar.add<Ellipsoid>({"ellipsoid", "a ball stretched along three axes", "van den Bergen 2003, 4.3.3"});
}
