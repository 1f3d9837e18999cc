// IFToMM benchmark A04, Bricard's mechanism: five bars of 1 m × 0.1 m × 0.1 m and 1 kg along the edges of a cube, six hinges, the
// two at the ends on the ground. Thirty rows of rank 29 leave one degree of freedom. Values: quadruple precision, order 20.
#include <array>

#include "lab/reference/all_cases.h"
#include "lab/reference/parts.h"

namespace rigor::reference {

namespace {

struct Sample {
  double t;
  Vec3 corner;  // that starts at (1, -1, 0)
};
constexpr Sample kSamples[] = {
    {0.5, {0.7747178080392334, -0.979815047655669, -0.19990615895344271}},
    {1.0, {0.27448131926462305, -0.886707938734672, -0.46233000268737606}},
    {1.5, {-0.2790175754210936, -0.8873613788327525, -0.4610745963030672}},
    {2.0, {-0.7781353730332908, -0.9803526834432565, -0.1972526706171706}},
    {2.5, {-0.9999831852927911, -0.9999999998586352, -1.6814565841733717e-05}},
    {3.0, {-0.77128135896861, -0.9792693298398003, -0.20256253265376706}},
    {3.5, {-0.26994237028483387, -0.886062623689805, -0.4635655583625028}},
    {4.0, {0.28355107908174293, -0.8880228141230467, -0.4597993927757896}},
    {4.5, {0.7815338554155826, -0.980882204713513, -0.19460241641962758}},
    {5.0, {0.999932742302117, -0.9999999977383531, -6.725543608396145e-05}},
    {5.5, {0.7678262242639678, -0.9787155657539576, -0.20522144466626946}},
    {6.0, {0.2654007873586556, -0.8854255620147382, -0.4647812110347028}},
    {6.5, {-0.288081769760175, -0.8886921132273389, -0.45850444696592274}},
    {7.0, {-0.7849130566000306, -0.9814035822608986, -0.1919557467893985}},
    {7.5, {-0.9998486744208517, -0.9999999885520171, -0.00015131412943285392}},
    {8.0, {-0.7643526022336558, -0.9781537944096711, -0.20788254972931944}},
    {8.5, {-0.2608566285856932, -0.8847968804546963, -0.46597690966145283}},
    {9.0, {0.29260958613771954, -0.8893691432776404, -0.4571898150501562}},
    {9.5, {0.7882727779916557, -0.9819167901758206, -0.18931301373865894}},
    {10.0, {0.9997309873038354, -0.9999999638258172, -0.0002689765122493046}},
};

constexpr std::array<Vec3, 6> kCorners = {{{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}}};
constexpr std::array<Vec3, 6> kAxes = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};

BodyId add_bar(World& world, const Vec3& from, const Vec3& to) {
  BodyDef def;
  def.shape = box({1, 0.1, 0.1});
  def.mass = 1;
  def.position = 0.5 * (from + to);
  def.orientation = quaternion_between({1, 0, 0}, to - from);
  def.can_collide = false;
  return world.add_body(def);
}

Quantities measure_bricard(const Method& method, double dt) {
  World world = space(true);
  std::vector<BodyId> chain{world.world_body()};
  for (std::size_t i = 0; i + 1 < kCorners.size(); ++i) chain.push_back(add_bar(world, kCorners[i], kCorners[i + 1]));
  chain.push_back(world.world_body());
  for (std::size_t i = 0; i < kCorners.size(); ++i) add_hinge(world, chain[i], chain[i + 1], kCorners[i], kAxes[i]);
  Run run(world, method, dt);
  const double start = run.energy();
  double early = 0, late = 0, energy = 0;
  for (const Sample& s : kSamples) {
    run.to(s.t);
    raise(s.t <= 1 ? early : late, length(run.world().to_world(chain[2], {0.5, 0, 0}) - s.corner));
    raise(energy, std::abs(run.energy() - start));
  }
  return {{"corner in 1 s", "m", early},
          {"corner in 10 s", "m", std::max(early, late), 1e-3, 2},
          {"energy in 10 s", "J", energy}};
}

}  // namespace

Case bricard() {
  return {"iftomm-a04",
          "Bricard's mechanism: one degree of freedom by dimensions, none by counting, 10 s",
          "good: tracked point within 1e-3 m at 10 s; read as advice for second order",
          1e-3,
          {.joint = true},
          measure_bricard};
}

}  // namespace rigor::reference
