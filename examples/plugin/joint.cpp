// Holds a point of body b on a helix that body a carries. The helix runs through the anchor, its axis is parallel to the joint's axis x
// at the distance `radius` towards −y, and one turn takes it along x by `pitch`.
//
//   φ = 2π x / pitch,   C₁ = y − r (cos φ − 1) = 0,   C₂ = z − r sin φ = 0        (x, y, z): the point in frame a
//
// x determines the turn on which the point is, so nothing has to be stored. Limits stop it after `turns` turns in both directions.
#include "rigor/extend/plugin.h"

namespace {

class Helix final : public rigor::extend::Joint {
 public:
  void fields(rigor::FieldVisitor& v) override {
    v.number("radius", radius_, {"m", rigor::kPositive, 1e6, "radius of the helix"});
    v.number("pitch", pitch_, {"m", rigor::kPositive, 1e6, "pitch: distance along the axis per turn"});
    v.number("turns", turns_, {"1", 0, 1e6, "turns in either direction before a stop; 0: none"});
  }

  void write(const rigor::extend::JointFrames& f, rigor::extend::JointRows& rows) const override {
    const rigor::Vec3 p = f.b_in_a();
    const double k = 2 * rigor::kPi / pitch_;
    double sine, cosine;
    rigor::sin_cos(k * p.x, sine, cosine);
    rows.hold(p.y - radius_ * (cosine - 1), f.gradient({radius_ * k * sine, 1, 0}));
    rows.hold(p.z - radius_ * sine, f.gradient({-radius_ * k * cosine, 0, 1}));
    if (turns_ == 0) return;
    rows.limit(turns_ * pitch_ - p.x, f.gradient({-1, 0, 0}));
    rows.limit(p.x + turns_ * pitch_, f.gradient({1, 0, 0}));
  }

 private:
  double radius_ = 1, pitch_ = 1, turns_ = 0;
};

}  // namespace

RIGOR_PLUGIN(registrar) {
  registrar.add<Helix>(
      {"helix", "a point of b slides along a helix of a", "docs/write-a-method.md", {"anchor", "axis"}});
}
