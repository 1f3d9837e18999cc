// `rigor reference --truth` and `--accuracies`.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include "cli/cli.h"

namespace rigor {
namespace {

using ReferenceCli = Cli;

TEST_F(ReferenceCli, TruthHasAFigureForEveryMethod) {
  const Result r = rigor("reference --truth box-at-rest --methods soft-step,newton-cone,xpbd --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json report = json::parse(r.out);
  ASSERT_EQ(report.size(), 1u);
  EXPECT_EQ(report[0]["case"], "box-at-rest");
  ASSERT_EQ(report[0]["methods"].size(), 3u);
  for (const json& method : report[0]["methods"]) {
    EXPECT_FALSE(method.contains("trouble")) << method;
    EXPECT_GE(method["truth"]["natural_map"]["max"], 0);
  }
  EXPECT_LT(report[0]["methods"][1]["truth"]["natural_map"]["max"], 1e-8);
  const Result table = rigor("reference --truth box-at-rest --methods newton-cone:solver.correction=none");
  EXPECT_NE(table.out.find("| newton-cone:solver.correction=none |"), std::string::npos) << table.out;
}

TEST_F(ReferenceCli, ErrorsOverTheAccuracy) {
  const Result r = rigor("reference --accuracies 1e-3,1e-5 sliding --plots plots --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json report = json::parse(r.out);
  ASSERT_EQ(report.size(), 1u);
  ASSERT_EQ(report[0]["points"].size(), 2u);
  EXPECT_LT(report[0]["points"][1]["error"], report[0]["points"][0]["error"]);
  EXPECT_NE(read(folder_ / "plots" / "cenic-accuracy.svg").find("<svg"), std::string::npos);
}

TEST_F(ReferenceCli, Mistakes) {
  expect_mistake("reference --truth no-such-case", "no-such-case");
  expect_mistake("reference --truth --methods no-such-method", "no-such-method");
  expect_mistake("reference --truth --order", "--order");
  expect_mistake("reference --accuracies 1e-3 --methods tgs", "no accuracy");
  expect_mistake("reference --accuracies nonsense", "--accuracies");
  expect_mistake("reference --accuracies 1e-3 --order", "--order");
}

}  // namespace
}  // namespace rigor

#endif
