// docs/write-a-method.md shows the example as it is compiled.
#include <fstream>
#include <iterator>

#include "extend/extend.h"

namespace rigor::test {

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(std::string(RIGOR_SOURCE_DIR) + "/" + file);
  EXPECT_TRUE(in.good()) << file;
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST(Docs, WriteAMethodShowsTheExampleAsItIs) {
  const std::string page = text_of("docs/write-a-method.md");
  EXPECT_NE(page.find("```c++\n" + text_of("examples/plugin/integrator.cpp") + "```"), std::string::npos);
  EXPECT_NE(page.find("```c++\n" + text_of("examples/plugin/joint.cpp") + "```"), std::string::npos);
}

/// The installed headers are those that the page lists.
TEST(Docs, WriteAMethodListsEveryInterface) {
  const std::string page = text_of("docs/write-a-method.md");
  for (const char* name :
       {"integrator", "solver", "lcp", "step", "joint", "shape", "broadphase", "narrowphase", "sleep", "validator"})
    EXPECT_NE(page.find("`rigor/extend/" + std::string(name) + ".h`"), std::string::npos) << name;
}

}  // namespace rigor::test
