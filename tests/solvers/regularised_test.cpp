// Regularised constraints: compliance and relaxation mean what their units say, and the factorisation is kept.
#include "solvers/regularised.h"

#include <gtest/gtest.h>

#include "registry/entry.h"
#include "solvers/force_helpers.h"
#include "stepping/constraint_stage.h"

namespace rigor::test {
namespace {

Method regularised(const Settings& settings = {}) {
  Method m = preset("servin");
  m.stepping.settings.clear();  // the laws below are those of one undivided step
  m.collision_solver.settings = m.contact_solver.settings = m.joint_solver.settings = settings;
  return m;
}

World world_without_ground() {
  World world;
  world.remove_body(world.ground());
  world.remove_force(world.drag());
  return world;
}

BodyId add_weight(World& world, double mass, const Vec3& position) {
  BodyDef def = body_with_inertia("", mass, Vec3{0.1, 0.1, 0.1} * mass);
  def.position = position;
  def.can_collide = false;
  return world.add_body(def);
}

TEST(Regularised, JointsYieldByComplianceTimesForce) {
  constexpr double kMass = 7, kCompliance = 2e-5;
  for (const double h : {1.0 / 30, 1.0 / 240}) {
    World world = world_without_ground();
    const BodyId id = add_weight(world, kMass, {});
    connect(world, world.world_body(), id, {}, joint_free_about({}));
    Simulation sim(world, regularised({{"joint_compliance", kCompliance}, {"joint_relaxation", 0.05}}));
    run(sim, 5, h);  // The run lasts a hundred relaxation times.
    const double sag = kMass * kG * kCompliance;
    EXPECT_NEAR(sim.world().position(id).y, -sag, 1e-12 * sag) << "rounding; step " << h;
  }
}

TEST(Regularised, SpringsOfAJointHaveTheirOwnCompliance) {
  constexpr double kMass = 3, kStiffness = 400;
  World world = world_without_ground();
  const BodyId id = add_weight(world, kMass, {0, -1, 0});
  JointDef def;
  def.a = world.world_body(), def.b = id;
  def.kind = DistanceJoint{1, 1, kStiffness, 60};
  world.add_joint(def);
  Simulation sim(world, regularised());
  run(sim, 10, 1.0 / 120);  // near critical damping at ω = 11.5/s: what is left of the start is far below rounding
  EXPECT_NEAR(sim.world().position(id).y, -1 - kMass * kG / kStiffness, 1e-12);
}

TEST(Regularised, ContactsYieldByComplianceTimesForce) {
  constexpr double kCompliance = 1e-6;
  World world;
  BodyDef def;
  def.shape = sphere(0.5), def.mass = 50, def.position = {0, 0.5, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world, regularised({{"contact_compliance", kCompliance}}));
  run(sim, 3, 1.0 / 120);
  EXPECT_NEAR(sim.world().position(id).y, 0.5 - 50 * kG * kCompliance, 1e-12);  // rounding at 0.5 m, some steps of it
}

TEST(Regularised, ErrorsDecayWithTheRelaxationTime) {
  constexpr double kError = 0.01, kRelaxation = 0.1, h = 1.0 / 100;
  World world = world_without_ground();
  world.remove_force(world.gravity());
  const BodyId id = add_weight(world, 2, {});
  connect(world, world.world_body(), id, {}, joint_free_about({}));
  world.set_pose(id, {kError, 0, 0}, {});
  Simulation sim(world, regularised({{"joint_compliance", 0.0}, {"joint_relaxation", kRelaxation}}));
  for (int k = 1; k <= 50; ++k) {
    sim.step(h);
    EXPECT_NEAR(sim.world().position(id).x, kError * std::pow(1 + h / kRelaxation, -k), 1e-14) << "step " << k;
  }
  // (1 + h/τ)^(-t/h) is e^(-t/τ) to first order in h: t h / 2τ² relative, and a little.
  EXPECT_NEAR(sim.world().position(id).x / (kError * std::exp(-0.5 / kRelaxation)), 1, 0.3);
}

TEST(Regularised, ChainCarriesAThousandTimesItsLinks) {
  constexpr int kLinks = 20;
  World world = world_without_ground();
  BodyId last = world.world_body();
  for (int i = 0; i < kLinks; ++i) {
    const double length = 0.5;
    const BodyId link =
        add_weight(world, i + 1 < kLinks ? 1 : 1000, {(i + 0.5) * length * 0.6, -(i + 0.5) * length * 0.8, 0});
    connect(world, last, link, {{i * length * 0.6, -i * length * 0.8, 0}, {}}, joint_free_about({3, 4, 5}));
    last = link;
  }
  Simulation sim(world, regularised());
  double worst = 0;  // the farthest that the end of the chain gets from its beginning
  for (int k = 0; k < 960; ++k) {
    sim.step(1.0 / 240);  // 2 √(T / (m l)) = 280/s across the chain: steps have to be shorter than 2/280 s
    worst = std::max(worst, length(sim.world().to_world(last, {0.5 * 0.5 * 0.6, -0.5 * 0.5 * 0.8, 0})));
  }
  EXPECT_LT(worst, 1.01 * kLinks * 0.5);
  EXPECT_GT(worst, 0.99 * kLinks * 0.5);
}

/// A step's constraints, solved with a solver that can be asked.
class Bench {
 public:
  explicit Bench(World world) : world_(std::move(world)) {
    set_.collision = set_.contact = set_.joint = solver_;
    set_.correction = std::shared_ptr<Solver>(create<Solver>(Kind::solver, {"none", {}}, "").release());
  }

  World& world() { return world_; }
  void solve() {
    stage_.prepare(world_, contacts_, set_, {}, 0, 1.0 / 60, threads_);
    stage_.solve_constraints(true, {}, [] {});
  }
  const BlockPivoting& system() const { return solver_->system(); }

 private:
  World world_;
  std::shared_ptr<Regularised> solver_ = std::make_shared<Regularised>();
  SolverSet set_;
  ContactList contacts_;
  ConstraintStage stage_;
  ThreadPool threads_;
};

TEST(Regularised, SymbolicFactorisationIsKeptWhileTheGraphStays) {
  World world = world_without_ground();
  BodyId last = world.world_body();
  for (int i = 0; i < 5; ++i) {
    const BodyId link = add_weight(world, 1, {i + 0.5, 0, 0});
    connect(world, last, link, {{1.0 * i, 0, 0}, {}}, joint_free_about({3, 4, 5}));
    last = link;
  }
  Bench bench(world);
  for (int k = 0; k < 4; ++k) {
    bench.world().set_pose(last, {4.5 + 0.01 * k, 0.1 * k, 0}, {});  // numbers change, the graph does not
    bench.solve();
  }
  EXPECT_EQ(bench.system().analyses(), 1);
  EXPECT_EQ(bench.system().factorisations(), 4);
  connect(bench.world(), bench.world().world_body(), last, {{5, 0, 0}, {}}, joint_free_about({3, 4, 5}));
  bench.solve(), bench.solve();
  EXPECT_EQ(bench.system().analyses(), 2);
  EXPECT_EQ(bench.system().factorisations(), 6);
}

/// One problem for all islands made one of them as inexact and as slow as the worst of them.
TEST(Regularised, AnIslandMovesAsItDoesAlone) {
  const auto path = [](bool has_other) {
    World world;
    BodyId last = world.world_body();
    for (int i = 0; i < 4; ++i) {
      const BodyId link = add_weight(world, 1 + i, {i + 0.5, 5, 0});
      connect(world, last, link, {{1.0 * i, 5, 0}, {}}, joint_free_about({3, 4, 5}));
      last = link;
    }
    BodyDef def;
    def.shape = box({1, 1, 1}), def.mass = 1e6;
    for (int i = 0; has_other && i < 3; ++i) def.position = {50, 0.5 + i, 0}, world.add_body(def);
    Simulation sim(world, regularised());
    run(sim, 1, 1.0 / 60);
    return sim.world().position(last);
  };
  EXPECT_EQ(path(true), path(false));
}

}  // namespace
}  // namespace rigor::test
