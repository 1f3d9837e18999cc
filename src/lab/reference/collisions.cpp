// Single impacts without gravity, in closed form: a ball on a rough plane (Coulomb's impulse, 2/7 m v_t stops the slip), two balls, one ball
// into two (all at once), the end of a rod on a smooth floor.
#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

constexpr double kRadius = 0.5;

/// Bodies touch when the run begins; after a few steps the impact is over, and nothing changes velocities any more.
void pass_impact(Run& run) {
  for (int i = 0; i < 4; ++i) run.step();
}

BodyDef ball(double mass, double friction, double e) {
  BodyDef def;
  def.shape = sphere(kRadius);
  def.mass = mass;
  def.material = surface(friction, e);
  return def;
}

struct PlaneImpact {
  double spin, mu, e;  // of 3 m/s along the plane, 4 m/s into it
  double v_x, v_y, spin_out;
};
constexpr PlaneImpact kPlaneImpacts[] = {{0, 0.1, 0.5, 2.4, 2, -3},           {0, 0.5, 0.5, 15.0 / 7, 2, -30.0 / 7},
                                         {0, 0.3, 1, 15.0 / 7, 4, -30.0 / 7}, {10, 0.2, 0.8, 1.56, 3.2, 2.8},
                                         {-6, 0.9, 0.8, 3, 3.2, -6},          {-20, 0.3, 0.5, 4.8, 2, -11}};

double ball_on_plane(const Method& method, double dt) {
  double worst = 0;
  for (const PlaneImpact& i : kPlaneImpacts) {
    World world;
    world.remove_force(world.gravity());
    world.set_material(world.ground(), surface(i.mu, i.e));
    BodyDef def = ball(1, i.mu, i.e);
    def.position = {0, kRadius, 0};
    def.velocity = {3, -4, 0}, def.angular_velocity = {0, 0, i.spin};
    const BodyId id = world.add_body(def);
    Run run(world, method, dt);
    pass_impact(run);
    raise(worst, length(run.world().velocity(id) - Vec3{i.v_x, i.v_y, 0}));
    raise(worst, kRadius * length(run.world().angular_velocity(id) - Vec3{0, 0, i.spin_out}));
  }
  return worst;
}

struct BallImpact {
  double m1, m2, e;
  Vec3 v1, v2, normal;  // from the second ball to the first
  Vec3 v1_out, v2_out;
};
constexpr double kS = 0.8660254037844386;  // sin 60°
constexpr BallImpact kBallImpacts[] = {
    {1, 1, 1, {2, 0, 0}, {0, 0, 0}, {-1, 0, 0}, {0, 0, 0}, {2, 0, 0}},
    {1, 1, 1, {2, 0, 0}, {0, 0, 0}, {-kS, 0.5, 0}, {0.5, kS, 0}, {1.5, -kS, 0}},
    {1, 3, 0.7, {2, 1, 0}, {-1, 0, 0}, {-1, 0, 0}, {-1.825, 1, 0}, {0.275, 0, 0}},
    {1, 1000, 1, {-1, 0, 0}, {1, 0, 0}, {1, 0, 0}, {2.996003996003996, 0, 0}, {0.996003996003996, 0, 0}}};

double two_balls(const Method& method, double dt) {
  double worst = 0;
  for (const BallImpact& i : kBallImpacts) {
    World world = space(false);
    BodyDef first = ball(i.m1, 0, i.e), second = ball(i.m2, 0, i.e);
    first.position = 2 * kRadius * i.normal, first.velocity = i.v1;
    second.velocity = i.v2;
    const BodyId a = world.add_body(first), b = world.add_body(second);
    Run run(world, method, dt);
    pass_impact(run);
    raise(worst, length(run.world().velocity(a) - i.v1_out));
    raise(worst, length(run.world().velocity(b) - i.v2_out));
  }
  return worst;
}

double break_shot(const Method& method, double dt) {
  World world = space(false);
  BodyDef def = ball(1, 0, 1);
  def.velocity = {1, 0, 0};
  const BodyId cue = world.add_body(def);
  def.velocity = {};
  def.position = {2 * kRadius * kS, kRadius, 0};
  const BodyId left = world.add_body(def);
  def.position.y = -kRadius;
  const BodyId right = world.add_body(def);
  Run run(world, method, dt);
  pass_impact(run);
  const double u = 0.6928203230275509;  // m/s, at 30° to either side
  double worst = 0;
  raise(worst, length(run.world().velocity(cue) - Vec3{-0.2, 0, 0}));
  raise(worst, length(run.world().velocity(left) - u * Vec3{kS, 0.5, 0}));
  raise(worst, length(run.world().velocity(right) - u * Vec3{kS, -0.5, 0}));
  return worst;
}

/// A rod of 1 m and 1 kg falls with 2 m/s at the angle θ to the floor; its lower end strikes with e = 0.5:
/// J = (1 + e) v / (1/m + (L/2 cos θ)²/I).
double rod_on_floor(const Method& method, double dt) {
  constexpr double kTip = 0.01;
  double worst = 0;
  for (const double angle : {0, 15, 30, 45, 60, 75, 90}) {
    const double theta = degrees(angle), lever = 0.5 * std::cos(theta), inertia = 1.0 / 12;
    World world;
    world.remove_force(world.gravity());
    world.set_material(world.ground(), surface(0, 0.5));
    BodyDef def;
    // Without friction the impulse passes through the middle of the little ball at the end: the size of it does not matter.
    def.shape = transformed(sphere(kTip), {{0.5, 0, 0}, {}});
    def.mass = 1;
    def.inertia = Mat3::diagonal({0.001, inertia, inertia});
    def.center_of_mass = Vec3{};
    def.material = surface(0, 0.5);
    def.orientation = quaternion_from_axis_angle({0, 0, 1}, -theta);
    def.position = {0, 0.5 * std::sin(theta) + kTip, 0};
    def.velocity = {0, -2, 0};
    const BodyId rod = world.add_body(def);
    Run run(world, method, dt);
    pass_impact(run);
    const double J = 1.5 * 2 / (1 + lever * lever / inertia);
    raise(worst, std::abs(run.world().velocity(rod).y - (J - 2)));
    raise(worst, 0.5 * std::abs(length(run.world().angular_velocity(rod)) - J * lever / inertia));
  }
  return worst;
}

Quantities measure_collisions(const Method& method, double dt) {
  return {{"ball on a rough plane", "m/s", ball_on_plane(method, dt), 1e-6},
          {"two balls", "m/s", two_balls(method, dt), 1e-6},
          {"one ball into two", "m/s", break_shot(method, dt)},
          {"rod on a smooth floor", "m/s", rod_on_floor(method, dt), 1e-6}};
}

}  // namespace

Case collisions() {
  return {"collisions",
          "single impacts: ball and plane, two balls, three balls, rod and floor",
          "1e-6 for impulses without gravity; three balls at once have an answer only for those that solve impacts "
          "together",
          1.0 / 240,
          {.collision = true, .contact = true},
          measure_collisions};
}

}  // namespace rigor::reference
