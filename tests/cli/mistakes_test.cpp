// What all verbs refuse: code 2 and one sentence.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include "cli/cli.h"

namespace rigor {
namespace {

TEST_F(Cli, MistakesAreOneSentence) {
  expect_mistake("rum", "did you mean run");
  expect_mistake("--frob", "unknown option '--frob'");
  expect_mistake("run", "SCENE is missing");
  expect_mistake("run dzhanibekov --secnds 3", "did you mean --seconds");
  expect_mistake("run dzhanibekov extra", "unexpected argument 'extra'");
  expect_mistake("run dzhanibekov --dt", "--dt needs a value");
  expect_mistake("run dzhanibekov --dt 0.1 --dt 0.2", "--dt is given more than once");
  expect_mistake("run dzhanibekov --seconds 1 --steps 2", "exclude");
  expect_mistake("run dzhanibekov --every 2", "--every needs --record");
  expect_mistake("run dzhanibekob", "dzhanibekov");
  expect_mistake("run ./missing.json", "missing.json");
  expect_mistake("run dzhanibekov --method course-note", "course-notes");
  expect_mistake("methods rk5", "rk4");
  expect_mistake("convert dzhanibekov a.stl", "cannot convert");
  expect_mistake("convert a.ply a.json", "cannot convert");
  expect_mistake("convert a.stl a.json", "there is no such file");
  expect_mistake("replay missing.rrec", "no such file");
  EXPECT_EQ(files(), 0u);
}

TEST_F(Cli, BadNumbersAreMistakes) {
  for (const char* option : {"--seconds", "--dt"})
    for (const char* value : {"0", "-1", "nan", "inf", "abc", "1e999", "1/0", "''", "1x"})
      expect_mistake(std::string("run dzhanibekov ") + option + " " + value, option);
  for (const char* value : {"0", "-1", "1.5", "1000000001", "abc"})
    expect_mistake(std::string("run dzhanibekov --steps ") + value, "--steps");
  expect_mistake("run dzhanibekov --threads 0", "--threads");
  expect_mistake("run dzhanibekov --record a.csv --every 0", "--every");
  expect_mistake("run dzhanibekov --seconds 1e9 --dt 1e-3", "more than a billion steps");
}

TEST_F(Cli, BadSettingsAreMistakes) {
  expect_mistake("run dzhanibekov --set integrator", "key=value");
  expect_mistake("run dzhanibekov --set integrator=rk5", "rk4");
  expect_mistake("run dzhanibekov --set integratr=rk4", "integrator");
  expect_mistake("run dzhanibekov --set gyroscopic=3", "true or false");
  expect_mistake("run chain --set solver.joint.lcp=foo",
                 "unknown choice 'foo'; known: pgs, sor, jacobi, nncg, dantzig, lemke");
  expect_mistake("run dzhanibekov --set integrator=dormand-prince --set integrator.tolerance=nan", "finite");
  expect_mistake("run dzhanibekov --set integrator=dormand-prince --set integrator.tolerance=-1", "tolerance");
}

/// Parameters that a preset left behind go with its solver; those that the user typed are his mistake, in either order.
TEST_F(Cli, ParametersTypedBesideAnotherSolverAreChecked) {
  EXPECT_EQ(rigor("run chain --method garstenauer --set 'solver.*.lcp=dantzig' --steps 1").code, 0);
  EXPECT_EQ(rigor("compare chain --methods 'garstenauer:solver.*.lcp=dantzig' --steps 1 --quick").code, 0);
  const std::string name = "--set 'solver.*.lcp=dantzig' ", parameter = "--set 'solver.*.lcp.iterations=20' ";
  for (const std::string& both : {name + parameter, parameter + name})
    expect_mistake("run chain --method garstenauer " + both, "unknown parameter 'lcp.iterations'");
  EXPECT_EQ(rigor("run chain --set solver.joint.iterations=7 --set solver.joint=sequential-impulse --steps 1").code, 0);
}

TEST_F(Cli, OutputsThatCannotBeWrittenCostNothing) {
  expect_mistake("run dzhanibekov --steps 1000000000 --record no/such/a.rrec", "no/such/a.rrec");
  expect_mistake("run dzhanibekov --steps 1000000000 --plot no/such/a.svg", "no/such/a.svg");
  expect_mistake("run dzhanibekov --plot a.png", ".svg");
  expect_mistake("run dzhanibekov --picture a.png", "--picture: the name must end in .svg");
  expect_mistake("run dzhanibekov --at 1", "--at needs --picture");
  expect_mistake("run dzhanibekov --seconds 1 --picture a.svg --at 0,2", "--at: expected a number from 0 to 1");
  expect_mistake("run dzhanibekov --seconds 1 --picture a.svg --at 0,,1", "--at");
  expect_mistake("run dzhanibekov --plot a.svg --picture ./a.svg", "same file");
  expect_mistake("run dzhanibekov --record a.svg --plot ./a.svg", "same file");
  ASSERT_EQ(rigor("convert dzhanibekov own.json").code, 0);
  expect_mistake("run ./own.json --record own.json", "would replace the scene");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace rigor

#endif  // RIGOR_PROGRAM
