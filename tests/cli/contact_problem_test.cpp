// `rigor problem` and `rigor solve`: contact problems as plain text and as FCLIB's HDF5, and messages about bad files.
#include "test_paths.h"

#ifdef RIGOR_PROGRAM

#include "cli/cli.h"

namespace rigor {
namespace {

class ContactProblems : public Cli {
 protected:
  /// Writes the problem of a few stacked boxes; false where the program was built without HDF5.
  bool write_stack(const std::string& file) const {
    const Result r = rigor("problem stack-sequential --at 0.2 " + file);
    EXPECT_TRUE(r.code == 0 || r.err.find("without HDF5") != std::string::npos) << r.err;
    return r.code == 0;
  }
  json solved(const std::string& file, const std::string& with = "alart-curnier") const {
    const Result r = rigor("solve " + file + " --with " + with + " --json");
    EXPECT_EQ(r.code, 0) << r.err;
    return json::parse(r.out)["solutions"][0];
  }
};

TEST_F(ContactProblems, TheExampleOfTheHelpWorksUnderTheMethodOfTheScene) {
  const Result r = rigor("problem card-house --at 1.5 house.dat --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json report = json::parse(r.out);
  EXPECT_GT(report["contacts"], 10);
  EXPECT_EQ(report["rows_of"], "nsgs") << "soft-step poses no problem of its own";
  EXPECT_EQ(report["solved"], true);
  EXPECT_LT(report["error"], 1e-9);
  EXPECT_LT(solved("house.dat")["figures"]["relative"], 1e-9);
}

TEST_F(ContactProblems, BothFormatsHoldTheSameProblemAndSolution) {
  if (!write_stack("stack.h5")) GTEST_SKIP() << "built without HDF5";
  ASSERT_TRUE(write_stack("stack.dat"));
  const json binary = solved("stack.h5"), text = solved("stack.dat");
  EXPECT_EQ(binary["iterations"], text["iterations"]);
  EXPECT_NEAR(binary["figures"]["relative"], text["figures"]["relative"], 1e-12);
  // The text converted from the HDF5 file equals the text that was written directly.
  ASSERT_EQ(rigor("solve stack.h5 --with alart-curnier --output again.dat").code, 0);
  ASSERT_EQ(rigor("solve stack.dat --with alart-curnier --output once.dat").code, 0);
  EXPECT_EQ(read(folder_ / "again.dat"), read(folder_ / "once.dat"));
  ASSERT_EQ(rigor("solve stack.dat --with fischer-burmeister --output back.hdf5").code, 0);
  EXPECT_LT(solved("back.hdf5")["figures"]["relative"], 1e-9);
}

/// All methods except nsgs, which does not converge on the redundant contacts of a stack.
TEST_F(ContactProblems, EveryExactConeSolverTakesTheHdf5File) {
  if (!write_stack("stack.h5")) GTEST_SKIP() << "built without HDF5";
  for (const char* name : {"admm", "alart-curnier", "fischer-burmeister", "apgd", "spg", "interior-point"})
    EXPECT_LT(solved("stack.h5", name)["figures"]["relative"], 1e-7) << name;
}

TEST_F(ContactProblems, MistakesNameThePlace) {
  expect_mistake("problem pendulum out.dat", "nothing touches");
  expect_mistake("problem stack-sequential --with guesswork out.dat", "guesswork");
  expect_mistake("solve missing.h5", "missing.h5");
  expect_mistake("solve missing.dat", "missing.dat");
  EXPECT_EQ(files(), 0u);
}

TEST_F(ContactProblems, BadHdf5FilesSayWhatIsWrong) {
  if (!write_stack("stack.h5")) GTEST_SKIP() << "built without HDF5";
  std::ofstream(folder_ / "text.h5") << "three contacts, please";
  expect_mistake("solve text.h5", "it does not begin like one");
  std::ofstream(folder_ / "empty.h5");
  expect_mistake("solve empty.h5", "it does not begin like one");
  fs::create_directory(folder_ / "folder.h5");
  expect_mistake("solve folder.h5", "got a folder");
  const std::string whole = read(folder_ / "stack.h5");
  std::ofstream(folder_ / "half.h5", std::ios::binary) << whole.substr(0, whole.size() / 2);
  expect_mistake("solve half.h5", "damaged or cut off");
}

/// Any damage of bytes gives a solution, a sentence, or both, and never a crash.
TEST_F(ContactProblems, DamagedHdf5FilesNeverCrash) {
  if (!write_stack("stack.h5")) GTEST_SKIP() << "built without HDF5";
  const std::string whole = read(folder_ / "stack.h5");
  for (std::size_t k = 0; k < 24; ++k) {
    std::string damaged = whole;
    for (std::size_t i = 0; i < 8; ++i) damaged[(k * 7919 + i * 613) % damaged.size()] ^= static_cast<char>(0x5a + k);
    std::ofstream(folder_ / "damaged.h5", std::ios::binary) << damaged;
    const Result r = rigor("solve damaged.h5 --with nsgs");
    EXPECT_TRUE(r.code == 0 || r.code == 1 || r.code == 2) << "damage " << k << ", code " << r.code << ": " << r.err;
  }
}

}  // namespace
}  // namespace rigor

#endif
