// Where equilibrium ends: a ladder, two cards, an overhanging pile and a pushed cylinder stand just below their limits and move just above. Closed
// forms: tan α = 1/(2μ) for the ladder on a smooth wall and for the cards, Σ 1/(2i) for the pile, F y = m g r for the cylinder.
#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

constexpr double kMargin = 0.02;  // recommended for friction; used for all
constexpr double kTip = 0.01;     // m, radius of the little balls at the ends of a ladder or card

/// A thin rod of 1 m that touches with little balls at its ends only.
BodyDef rod_with_tips(const Vec3& foot, const Vec3& head) {
  const Vec3 along = head - foot;
  BodyDef def;
  const double half = 0.5 * length(along);
  def.shape = composite({{sphere(kTip), {{-half, 0, 0}, {}}, {}}, {sphere(kTip), {{half, 0, 0}, {}}, {}}});
  def.mass = 1;
  const double inertia = half * half / 3;
  // A large inertia keeps it from falling over sideways.
  def.inertia = Mat3::diagonal({inertia, inertia, inertia});
  def.center_of_mass = Vec3{};
  def.position = 0.5 * (foot + head);
  def.orientation = quaternion_from_axis_angle({0, 0, 1}, std::atan2(along.y, along.x));
  def.material = surface(0);  // the larger friction of two materials counts: that of the floor
  return def;
}

/// Displacement of a body in two seconds, m.
double way(World world, BodyId id, const Method& method, double dt) {
  const Vec3 start = world.position(id);
  const Quat turn = world.orientation(id);
  Run run(std::move(world), method, dt);
  run.to(2);
  const double turned = length(rotation_vector(conjugate(turn) * run.world().orientation(id)));
  return std::max(length(run.world().position(id) - start), turned);
}

double ladder(double mu, const Method& method, double dt) {
  const double alpha = std::atan(1 / (2 * 0.3));  // the limit for 0.3
  World world;
  world.set_material(world.ground(), surface(mu));
  BodyDef wall;
  wall.shape = box({1, 4, 4});
  wall.position = {0.5 + kTip, 2, 0};
  wall.fixed = true;
  wall.material = surface(0);
  world.add_body(wall);
  const BodyId id = world.add_body(rod_with_tips({-std::cos(alpha), kTip, 0}, {0, kTip + std::sin(alpha), 0}));
  return way(world, id, method, dt);
}

double cards(double mu, const Method& method, double dt) {
  const double alpha = std::atan(1 / (2 * 0.3));
  World world;
  world.set_material(world.ground(), surface(mu));
  const double top = kTip + std::sin(alpha);
  const BodyId left = world.add_body(rod_with_tips({-kTip - std::cos(alpha), kTip, 0}, {-kTip, top, 0}));
  world.add_body(rod_with_tips({kTip + std::cos(alpha), kTip, 0}, {kTip, top, 0}));
  return way(world, left, method, dt);
}

/// Five blocks of 1 m, each beyond the one below by `factor` times what is possible.
double pile(double factor, const Method& method, double dt) {
  constexpr int kBlocks = 5;
  World world;
  double x = 0;
  BodyId top;
  for (int i = 0; i < kBlocks; ++i) {
    BodyDef def;
    def.shape = box({1, 0.2, 0.5});
    def.mass = 1;
    def.material = surface(0.8);
    // Block i (from below) carries kBlocks - 1 - i others: the next one may stand out by 1/(2 (kBlocks - 1 - i)).
    def.position = {x, 0.1 + 0.2 * i, 0};
    top = world.add_body(def);
    x += factor * 0.5 / (kBlocks - 1 - i);
  }
  return way(world, top, method, dt);
}

double pushed_cylinder(double force, double mu, const Method& method, double dt) {
  World world;
  world.set_material(world.ground(), surface(mu));
  BodyDef def;
  def.shape = cylinder(0.5, 2);
  def.mass = 10;
  def.material = surface(mu);
  def.position = {0, 1, 0};
  const BodyId id = world.add_body(def);
  PointForce push;
  push.force = {force, 0, 0};
  push.point = {0, 1, 0};  // at the top
  world.add_force(push, Affected::list({id}));
  return way(world, id, method, dt);
}

/// 0: stands below and moves above the limit; 1 and 2: one or both are wrong. 5 mm (or 5 mrad) in two seconds is moving; at 2 %
/// beyond the limit even the slowest of these, a block that slides, comes three times as far.
Quantity verdict(const char* name, double below, double above) {
  return {name, "wrong", static_cast<double>(below > 0.005) + static_cast<double>(above < 0.005), 0.5};
}

Quantities measure_thresholds(const Method& method, double dt) {
  const auto at = [&](double (*f)(double, const Method&, double), double limit, double sign) {
    return f(limit * (1 + sign * kMargin), method, dt);
  };
  const auto push = [&](double force, double mu) { return pushed_cylinder(force, mu, method, dt); };
  return {verdict("ladder on a smooth wall", at(ladder, 0.3, 1), at(ladder, 0.3, -1)),
          verdict("two cards", at(cards, 0.3, 1), at(cards, 0.3, -1)),
          verdict("overhanging pile of five", at(pile, 1, -1), at(pile, 1, 1)),
          verdict("pushed cylinder, tips", push(24.525 * (1 - kMargin), 0.4), push(24.525 * (1 + kMargin), 0.4)),
          verdict("pushed cylinder, slides", push(19.62 * (1 - kMargin), 0.2), push(19.62 * (1 + kMargin), 0.2))};
}

}  // namespace

Case contact_thresholds() {
  return {"contact-thresholds",
          "ladder, cards, pile and pushed cylinder just below and just above their limits",
          "behaviours differ at 2 % below and above the limit",
          1.0 / 240,
          {.contact = true},
          measure_thresholds};
}

}  // namespace rigor::reference
