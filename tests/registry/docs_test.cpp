// Every registered method has its page.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "rigor/registry.h"

namespace rigor::test {
namespace {

TEST(Docs, EveryMethodHasItsPage) {
  for (const MethodInfo& info : methods()) {
    if (info.kind == Kind::shape) continue;  // docs/scenes.md has them all in one table
    const std::string page = "docs/methods/" + std::string(to_string(info.kind)) + "/" + info.name + ".md";
    EXPECT_TRUE(std::filesystem::exists(std::string(RIGOR_SOURCE_DIR) + "/" + page)) << page << " is missing";
  }
}

}  // namespace
}  // namespace rigor::test
