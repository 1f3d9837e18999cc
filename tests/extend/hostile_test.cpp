// Extensions that throw or return what is not finite: one sentence that names them, no step applied in silence, no crash.
#include "extend/extend.h"

namespace rigor::test {

namespace {

/// A box on the ground and a pendulum.
World small_world(const std::string& joint = "ball") {
  World world;
  BodyDef box;
  box.name = "box", box.shape = rigor::box(1, 1, 1), box.position = {3, 0.5, 0};
  world.add_body(box);
  BodyDef ball;
  ball.name = "ball", ball.shape = sphere(0.2), ball.position = {0, 3, 0};
  const BodyId id = world.add_body(ball);
  world.add_joint(make_joint(world, joint, world.world_body(), id, {{0, 4, 0}, {}, {}}));
  return world;
}

Method changed(const std::string& key, const std::string& name) {
  Method m = preset("garstenauer-sequential");
  set(m, key, name);
  return m;
}

/// The sentence of the step that fails; afterwards steps are refused until a snapshot is restored, and then work with another method.
std::string failure(const World& world, const Method& method) {
  Simulation sim(world, preset("garstenauer-sequential"));
  for (int i = 0; i < 5; ++i) sim.step(0.01);
  const Snapshot before = sim.save();
  sim.set_method(method);
  const std::string sentence = error_of([&] {
    for (int i = 0; i < 10; ++i) sim.step(0.01);
  });
  EXPECT_EQ(sentence.find('\n'), std::string::npos);
  EXPECT_NE(error_of([&] { sim.step(0.01); }).find("was not finished"), std::string::npos);
  sim.restore(before);
  sim.set_method(preset("garstenauer-sequential"));
  for (int i = 0; i < 5; ++i) sim.step(0.01);
  for (std::uint32_t i = 0; i < sim.world().state().awake(); ++i)
    EXPECT_TRUE(is_finite(sim.world().state().position[i]));
  return sentence;
}

}  // namespace

TEST(Hostile, EveryKindIsNamed) {
  use_plugin("hostile");
  const World world = small_world();
  EXPECT_EQ(failure(world, changed("integrator", "throws")),
            "integrator 'throws': it threw an exception: out of ideas");
  EXPECT_EQ(failure(world, changed("integrator", "throws-a-number")),
            "integrator 'throws-a-number': it threw something that is not a std::exception");
  EXPECT_EQ(failure(world, changed("integrator", "not-finite")),
            "integrator 'not-finite': it left a body without a finite velocity");
  EXPECT_EQ(failure(world, changed("solver.*", "not-finite")),
            "solver 'not-finite': it returned an impulse that is not finite");
  EXPECT_EQ(failure(world, changed("solver.*", "throws")), "solver 'throws': it threw an exception: no pivot");
  EXPECT_EQ(failure(world, changed("stepping", "half")),
            "stepping 'half': it moved the bodies for 0.005000 s in a step of 0.010000 s");
  EXPECT_NE(failure(world, changed("stepping", "backward")).find("a positive number of seconds"), std::string::npos);
  EXPECT_NE(failure(world, changed("broadphase", "unsorted")).find("broadphase 'unsorted': its pairs"),
            std::string::npos);
  EXPECT_NE(failure(world, changed("narrowphase", "no-normal")).find("narrowphase 'no-normal': a manifold"),
            std::string::npos);
  EXPECT_EQ(failure(world, changed("sleep", "throws")), "sleep 'throws': it threw an exception: insomnia");
  EXPECT_NE(failure(world, changed("validators", "not-finite")).find("validator 'not-finite': "), std::string::npos);
  EXPECT_NE(failure(world, changed("validators", "nowhere")).find("validator 'nowhere': "), std::string::npos);
}

TEST(Hostile, LcpSolvers) {
  use_plugin("hostile");
  Method m = preset("garstenauer");
  set(m, "solver.*.lcp", std::string("not-finite"));
  EXPECT_EQ(failure(small_world(), m), "lcp 'not-finite': it returned a number that is not finite");
  // A solver that claims to be exact and is not: Gauss–Seidel takes its place, and the box stays on the ground.
  set(m, "solver.*.lcp", std::string("lazy"));
  Simulation sim(small_world(), m);
  for (int i = 0; i < 100; ++i) sim.step(0.01);
  EXPECT_GT(sim.world().position(sim.world().find_body("box")).y, 0.45);
}

TEST(Hostile, Joints) {
  use_plugin("hostile");
  for (const char* method : {"garstenauer-sequential", "soft-step", "featherstone", "xpbd", "bender"})
    for (const int threads : {1, 3}) {
      Simulation sim(small_world("not-finite"), preset(method));
      sim.set_threads(threads);
      EXPECT_EQ(error_of([&] { sim.step(0.01); }),
                "joint 'not-finite': it wrote a row with a number that is not finite")
          << method;
    }
  Simulation sim(small_world("many-rows"), preset("soft-step"));
  EXPECT_EQ(error_of([&] { sim.step(0.01); }), "joint 'many-rows': it wrote more than six rows of one kind");
}

TEST(Hostile, ShapesAreRefusedWhenTheyAreMade) {
  use_plugin("hostile");
  EXPECT_EQ(error_of([] { shape_of_type("not-finite"); }),
            "shape 'not-finite': its support function returned a point that is not finite");
  EXPECT_NE(error_of([] { shape_of_type("inside-out"); }).find("contradicts itself"), std::string::npos);
  EXPECT_NE(error_of([] { shape_of_type("flat"); }).find("make no solid"), std::string::npos);
  EXPECT_NE(error_of([] { shape_of_type("box"); }).find("built-in"), std::string::npos);
  EXPECT_NE(error_of([] { shape_of_type("nothing"); }).find("unknown shape"), std::string::npos);
}

}  // namespace rigor::test
