#include "lab/torture/everyday_things.h"

#include <cmath>

#include "rigor/joint_types.h"

namespace rigor {

namespace {

ShapePtr hexagonal_prism(double across_flats, double height) {
  const double r = across_flats / std::sqrt(3.0);
  std::vector<Vec3> points;
  for (int i = 0; i < 6; ++i) {
    double s = 0, c = 0;
    sin_cos(kPi * i / 3, s, c);
    points.push_back({r * c, -0.5 * height, r * s});
    points.push_back({r * c, 0.5 * height, r * s});
  }
  return convex_hull(points);
}

Composite::Part part(ShapePtr shape, double y) { return {std::move(shape), {{0, y, 0}, {}}, std::nullopt}; }

ShapePtr pencil() { return hexagonal_prism(0.007, 0.175); }
ShapePtr round_pencil() { return cylinder(0.0035, 0.175); }
ShapePtr match() { return box(0.043, 0.0022, 0.0022); }
ShapePtr coin() { return cylinder(0.0116, 0.0023); }
ShapePtr bolt() { return composite({part(cylinder(0.004, 0.04), 0), part(hexagonal_prism(0.013, 0.0053), 0.02265)}); }
ShapePtr nut() { return hexagonal_prism(0.013, 0.0065); }
ShapePtr die() { return box(0.016, 0.016, 0.016); }
ShapePtr card() { return box(0.063, 0.0003, 0.088); }
ShapePtr broom() {
  return composite({part(cylinder(0.012, 1.3), 0), {box(0.3, 0.06, 0.05), {{0, -0.68, 0}, {}}, std::nullopt}});
}
ShapePtr brick() { return box(0.25, 0.065, 0.12); }
ShapePtr plate() { return composite({part(cylinder(0.13, 0.006), 0.008), part(cylinder(0.075, 0.01), 0)}); }
ShapePtr bearing_ball() { return sphere(0.006); }
ShapePtr bottle() { return composite({part(cylinder(0.037, 0.2), 0), part(cylinder(0.014, 0.09), 0.145)}); }
ShapePtr domino() { return box(0.024, 0.048, 0.0075); }
ShapePtr marble() { return sphere(0.008); }
ShapePtr screw() { return cone(0.003, 0.04); }
ShapePtr egg() { return capsule(0.022, 0.013); }
ShapePtr book() { return box(0.17, 0.03, 0.24); }
ShapePtr stick() { return capsule(0.01, 0.8); }

// Small things first.
constexpr Thing kThings[] = {
    {"pencil", pencil, 650, 0.4, 0.3},
    {"round pencil", round_pencil, 650, 0.4, 0.3, 1e-5},
    {"match", match, 500, 0.5, 0.2},
    {"coin", coin, 7800, 0.3, 0.4},
    {"bolt", bolt, 7850, 0.3, 0.3},
    {"nut", nut, 7850, 0.3, 0.3},
    {"die", die, 1200, 0.35, 0.5},
    {"card", card, 1000, 0.3, 0.1},
    {"bearing ball", bearing_ball, 7850, 0.2, 0.7, 1e-5},
    {"marble", marble, 2500, 0.3, 0.7, 1e-5},
    {"domino", domino, 1400, 0.35, 0.3},
    {"screw", screw, 7850, 0.3, 0.3},
    {"egg", egg, 1030, 0.4, 0.1},
    {"broom", broom, 600, 0.5, 0.2},
    {"brick", brick, 2000, 0.7, 0.1},
    {"plate", plate, 2400, 0.3, 0.2},
    {"bottle", bottle, 1000, 0.4, 0.2},
    {"book", book, 700, 0.5, 0.1},
    {"stick", stick, 700, 0.5, 0.3},
};
constexpr std::size_t kSmall = 13;

BodyDef made_of(ShapePtr shape, const Vec3& position, double density, double friction) {
  BodyDef def;
  def.shape = std::move(shape);
  def.position = position;
  def.material = {.name = "drawn", .density = density, .friction = friction};
  return def;
}

}  // namespace

std::span<const Thing> everyday_things() { return kThings; }
std::span<const Thing> small_things() { return std::span(kThings).first(kSmall); }

BodyDef everyday_body(const Thing& thing) {
  BodyDef def;
  def.name = thing.name;
  def.shape = thing.shape();
  def.material = {.name = thing.name, .density = thing.density, .friction = thing.friction};
  def.material.restitution = thing.restitution;
  def.material.rolling_friction = thing.rolling_friction;
  return def;
}

void add_chain(Scene& scene, Draw& draw) {
  World& w = scene.world;
  const int links = draw.whole(4, 20), held = draw.whole(0, 2);  // ends that are held
  const double link = draw.between(0.03, 0.08), y = link * links + draw.between(0.05, 0.3);
  double s = 0, c = 0;
  sin_cos(held == 2 ? 0.5 * kPi : draw.between(0, 0.5 * kPi), s, c);
  const Vec3 way{s, -c, 0};
  const auto at = [&](double i) { return Vec3{0, y, 0} + (link * i) * way; };
  BodyId last = w.world_body();
  for (int i = 0; i < links; ++i) {
    BodyDef def = made_of(capsule(0.12 * link, 0.7 * link), at(i + 0.5), 7850, 0.3);
    def.orientation = quaternion_between({0, 1, 0}, way);
    const BodyId id = w.add_body(def);
    if (i > 0 || held > 0) w.add_joint(ball_joint(w, last, id, at(i)));
    last = id;
  }
  if (held == 2) w.add_joint(ball_joint(w, last, w.world_body(), at(links)));
}

void add_door(Scene& scene, Draw& draw) {
  World& w = scene.world;
  const Vec3 hinge{-0.45, 1.02, 0};
  const BodyId leaf = w.add_body(made_of(box(0.9, 2, 0.04), {0, 1.02, 0}, 600, 0.5));
  JointDef def = hinge_joint(w, w.world_body(), leaf, hinge, {0, 1, 0});
  JointAxis& axis = std::get<AxesJoint>(def.kind).axes[3];
  axis.motion = AxisMotion::limited;
  axis.lower = -draw.between(0.1, 1.6);
  axis.upper = draw.between(0.1, 1.6);
  axis.friction = draw.between(0, 2);
  w.add_joint(def);
  const Vec3 spin{0, draw.between(-4, 4), 0};
  w.set_velocity(leaf, cross(spin, w.center_of_mass(leaf) - hinge), spin);
}

void add_trolley(Scene& scene, Draw& draw) {
  World& w = scene.world;
  const double radius = draw.between(0.04, 0.1), y = radius + 0.001;
  const BodyId board = w.add_body(made_of(box(0.8, 0.03, 0.3), {0, y + radius + 0.03, 0}, 700, 0.5));
  const bool driven = draw.chance(0.3), locked = draw.chance(0.2);
  const double target = draw.between(-10, 10);
  const Vec3 velocity{draw.between(-2, 2), 0, 0};
  for (const double x : {-0.3, 0.3})
    for (const double z : {-0.2, 0.2}) {
      BodyDef def = made_of(cylinder(radius, 0.03), {x, y, z}, 1100, 0.9);
      def.orientation = quaternion_from_axis_angle({1, 0, 0}, 0.5 * kPi);
      const BodyId wheel = w.add_body(def);
      JointDef joint = hinge_joint(w, board, wheel, {x, y, z}, {0, 0, 1});
      JointAxis& axis = std::get<AxesJoint>(joint.kind).axes[3];
      if (driven && x > 0) axis.motor = {.kind = AxisMotor::Kind::velocity, .target = target, .max_force = 1};
      if (locked) axis.friction = 2;
      w.add_joint(joint);
      w.set_velocity(wheel, velocity, {0, 0, -velocity.x / radius});
    }
  w.set_velocity(board, velocity, {});
  if (!draw.chance(0.5)) return;
  BodyDef load = made_of(box(0.3, 0.2, 0.2), {draw.between(-0.2, 0.2), y + radius + 0.15, 0}, 500, 0.5);
  load.velocity = velocity;
  w.add_body(load);
}

}  // namespace rigor
