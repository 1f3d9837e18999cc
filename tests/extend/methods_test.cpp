// Registered methods take part in steps like built-in ones.
#include <cmath>

#include "extend/extend.h"
#include "rigor/snapshot_file.h"

namespace rigor::test {

namespace {

/// The built-in `sub-steps` with two parts, by an extension.
class TwoHalves final : public extend::Step {
 public:
  void step(extend::StepStages& s, double h) override {
    for (int i = 0; i < 2; ++i) s.find_contacts(), s.solve_and_move(h / 2);
  }
};

/// Every box against every other.
class AllPairs final : public extend::Broadphase {
 public:
  void find_pairs(std::span<const ProxyBounds> p, std::vector<ProxyPair>& pairs) override {
    for (std::uint32_t a = 0; a < p.size(); ++a)
      for (std::uint32_t b = a + 1; b < p.size(); ++b)
        if (takes_part(p[a]) && takes_part(p[b]) && (p[a].moves || p[b].moves) && overlap(p[a].box, p[b].box))
          pairs.push_back({a, b});
  }
};

/// Balls only; others are left to the library.
class BallPairs final : public extend::Narrowphase {
 public:
  bool collide(const Shape& a, const Shape& b, const PairQuery& q, std::vector<Manifold>& out) const override {
    const Sphere *first = a.as<Sphere>(), *second = b.as<Sphere>();
    if (!first || !second) return false;
    const Vec3 d = q.b_in_a.translation;
    const double gap = length(d) - first->radius - second->radius;
    if (gap > q.envelope || length(d) == 0) return true;
    Manifold& m = out.emplace_back();
    m.normal = d / length(d);
    m.add({first->radius * m.normal, d - second->radius * m.normal, gap, 0});
    return true;
  }
};

class SlowIsIdle final : public extend::SleepRule {
 public:
  void fields(FieldVisitor& v) override { v.number("speed", speed_, {"m/s", 0, 10, "slower bodies are idle"}); }
  void find_idle(const extend::ConstBodies& b, std::span<std::uint8_t> idle) const override {
    for (std::size_t i = 0; i < b.size(); ++i) idle[i] = length(b.velocity[i]) + length(b.angular_velocity[i]) < speed_;
  }

 private:
  double speed_ = 0.05;
};

/// Counts steps and stops what is too fast.
class SpeedLimit final : public extend::Validator {
 public:
  void fields(FieldVisitor& v) override { v.number("limit", limit_, {"m/s", 0, 1000, "largest speed"}); }
  void validate(extend::Inspection& in) override {
    in.memory()[0] += 1;
    for (std::size_t i = 0; i < in.bodies().size(); ++i) {
      const Vec3 v = in.bodies().velocity[i];
      if (!(length(v) > limit_)) continue;
      in.set_velocity(i, v * (limit_ / length(v)), in.bodies().angular_velocity[i]);
      in.report(in.name(i) + " was stopped in step " + std::to_string(static_cast<int>(in.memory()[0])));
    }
  }

 private:
  double limit_ = 1;
};

/// Gauss–Seidel on the dense matrix.
class DenseSweeps final : public extend::LcpSolver {
 public:
  int solve(const LcpProblem& p, std::span<double> x) override {
    const int n = p.size();
    for (int sweep = 0; sweep < 500; ++sweep)
      for (int i = 0; i < n; ++i) {
        double w = p.b[i];
        for (int k = 0; k < n; ++k) w += p.A[i * n + k] * x[k];
        const double d = p.A[i * n + i];
        const auto [lo, hi] = p.limits.at(i, x);
        if (d > 0) x[i] = std::clamp(x[i] - w / d, lo, hi);
      }
    return 500;
  }
  double tolerance() const override { return 1e-4; }
};

void enroll_all() {
  static const bool once = [] {
    enroll([](extend::Registrar& r) {
      r.add<TwoHalves>({"two-halves", "two half steps", "none"});
      r.add<AllPairs>({"all-pairs", "every pair", "none"});
      r.add<BallPairs>({"ball-pairs", "balls", "none"});
      r.add<SlowIsIdle>({"slow", "slow bodies are idle", "none"});
      r.add<SpeedLimit>({"speed-limit", "stops fast bodies", "none"});
      r.add<DenseSweeps>({"dense-sweeps", "Gauss–Seidel", "none", {"inequalities", "dependent-limits", "singular"}});
    });
    return true;
  }();
  static_cast<void>(once);
}

/// Balls and boxes that fall on each other, and a pendulum.
World heap() {
  World world;
  for (int i = 0; i < 4; ++i) {
    BodyDef def;
    def.shape = i % 2 ? box(0.8, 0.8, 0.8) : sphere(0.4);
    def.position = {0.1 * i, 0.5 + 1.1 * i, 0.05 * i};
    world.add_body(def);
    def.shape = sphere(0.3), def.position.x += 2;
    world.add_body(def);
  }
  BodyDef ball;
  ball.shape = sphere(0.2), ball.position = {-2, 3, 0};
  const BodyId id = world.add_body(ball);
  world.add_joint(ball_joint(world, world.world_body(), id, {-3, 3, 0}));
  return world;
}

std::uint64_t hash_after(const Method& method, int threads = 1) {
  Simulation sim(heap(), method);
  sim.set_threads(threads);
  for (int i = 0; i < 150; ++i) sim.step(0.01);
  return sim.world().hash();
}

Method changed(const std::string& key, const std::string& name) {
  Method m = preset("garstenauer-sequential");
  set(m, key, name);
  return m;
}

}  // namespace

TEST(ExtensionStep, TwoHalvesAreTheBuiltInSubSteps) {
  enroll_all();
  Method built_in = changed("stepping", "sub-steps");
  set(built_in, "stepping.count", std::int64_t{2});
  EXPECT_EQ(hash_after(changed("stepping", "two-halves")), hash_after(built_in));
  EXPECT_EQ(hash_after(changed("stepping", "two-halves"), 3), hash_after(built_in));
}

TEST(ExtensionBroadphase, FindsWhatTheBuiltInFinds) {
  enroll_all();
  EXPECT_EQ(hash_after(changed("broadphase", "all-pairs")), hash_after(changed("broadphase", "aabb-tree")));
}

TEST(ExtensionNarrowphase, AgreesOnBallsAndLeavesTheRest) {
  enroll_all();
  EXPECT_EQ(hash_after(changed("narrowphase", "ball-pairs"), 3), hash_after(changed("narrowphase", "ball-pairs"), 1));
  Simulation mine(heap(), changed("narrowphase", "ball-pairs")), built_in(heap(), preset("garstenauer-sequential"));
  for (int i = 0; i < 30; ++i) mine.step(0.01), built_in.step(0.01);
  EXPECT_EQ(mine.contacts().size(), built_in.contacts().size());
  for (const BodyId id : mine.world().bodies())
    EXPECT_LT(distance(mine.world().position(id), built_in.world().position(id)), 1e-9);
}

TEST(ExtensionSleep, BodiesFallAsleepAndItsParametersCount) {
  enroll_all();
  Method m = changed("sleep", "slow");
  set(m, "sleep.min_wake_time", 0.2);
  World world;
  BodyDef def;
  def.shape = box(1, 1, 1), def.position = {0, 0.5, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world, m);
  for (int i = 0; i < 100; ++i) sim.step(0.01);
  EXPECT_TRUE(sim.sleep_state(id).asleep);
  set(m, "sleep.speed", 0.0);
  Simulation awake(world, m);
  for (int i = 0; i < 100; ++i) awake.step(0.01);
  EXPECT_FALSE(awake.sleep_state(id).asleep);
}

TEST(ExtensionValidator, ActsReportsAndRemembers) {
  enroll_all();
  Method m = changed("validators", "speed-limit");
  World world;
  BodyDef def;
  def.name = "stone", def.shape = sphere(0.5), def.position = {0, 100, 0};
  const BodyId id = world.add_body(def);
  Simulation sim(world, m);
  for (int i = 0; i < 10; ++i) sim.step(0.01);
  const Snapshot saved = sim.save();
  for (int i = 0; i < 10; ++i) sim.step(0.01);
  EXPECT_NEAR(length(sim.world().velocity(id)), 1, 1e-12);
  const std::vector<std::string> reports = sim.take_reports();
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.front(), "stone was stopped in step 11");
  sim.restore(saved);
  for (int i = 0; i < 10; ++i) sim.step(0.01);
  EXPECT_EQ(sim.take_reports(), reports);  // its memory is part of the snapshot
}

TEST(ExtensionLcp, SolvesAHeap) {
  enroll_all();
  Method m = preset("garstenauer");
  set(m, "solver.*.lcp", std::string("dense-sweeps"));
  Simulation sim(heap(), m);
  for (int i = 0; i < 150; ++i) sim.step(0.01);
  EXPECT_LT(sim.statistics().contact.residual, 1e-2);
  for (const BodyId id : sim.world().bodies())
    EXPECT_TRUE(sim.world().is_fixed(id) || sim.world().position(id).y > 0.2);
  EXPECT_EQ(hash_after(m, 1), hash_after(m, 3));
}

TEST(ExtensionSolver, AgreesWithTheReference) {
  use_plugin("solver");
  Method mine = changed("solver.*", "symmetric-sweeps"), reference = preset("garstenauer-sequential");
  for (Method* m : {&mine, &reference}) set(*m, "solver.*.iterations", std::int64_t{300});
  Simulation a(heap(), mine), b(heap(), reference);
  for (int i = 0; i < 30; ++i) a.step(0.01), b.step(0.01);
  for (const BodyId id : a.world().bodies()) EXPECT_LT(distance(a.world().position(id), b.world().position(id)), 1e-4);
  EXPECT_EQ(hash_after(mine, 1), hash_after(mine, 3));
}

TEST(ExtensionSolver, ContinuesFromASnapshotBitForBit) {
  use_plugin("solver"), use_plugin("integrator");
  Method m = changed("solver.*", "symmetric-sweeps");
  set(m, "integrator", std::string("heun"));
  Simulation sim(heap(), m);
  for (int i = 0; i < 60; ++i) sim.step(0.01);
  const std::string bytes = write_snapshot({sim.save(), "heap", "", 1});
  Simulation other = Simulation(World{}, default_method());
  other.restore(read_snapshot(bytes).snapshot);
  for (int i = 0; i < 60; ++i) sim.step(0.01), other.step(0.01);
  EXPECT_EQ(sim.hash(), other.hash());
}

TEST(ExtensionIntegrator, IsOfOrderTwo) {
  use_plugin("integrator");
  const auto error = [](double h) {
    World world = empty_world();
    BodyDef def = body_with_inertia("top", 1, {1, 2, 3});
    def.angular_velocity = {0.3, 2, 0.1};
    const BodyId id = world.add_body(def);
    Simulation sim(world, method_with("heun")), exact(world, method_with("exact-rotation"));
    for (int i = 0; i < std::lround(1 / h); ++i) sim.step(h), exact.step(h);
    return angle_between(sim.world().orientation(id), exact.world().orientation(id));
  };
  const double order = std::log2(error(0.02) / error(0.01));
  EXPECT_NEAR(order, 2, 0.15);
}

}  // namespace rigor::test
