// Decompositions as files.
#include "io/parts_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace rigor {
namespace {

namespace fs = std::filesystem;

TEST(PartsFolder, ReadsBackWhatItWrote) {
  const fs::path folder = fs::path(testing::TempDir()) / "parts" / "deep";
  const auto store = parts_folder(folder.string());
  EXPECT_FALSE(store->load("a"));
  const StoredParts parts{0.125, 0.1, true, "(1, 2, 3)", {{{0, 0, 0}, {1, 1e-300, -0.1}}, {{5, 6, 7}}}};
  store->save("a", parts);
  const auto again = store->load("a");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->error, parts.error);
  EXPECT_EQ(again->wanted, parts.wanted);
  EXPECT_EQ(again->reached_limit, parts.reached_limit);
  EXPECT_EQ(again->crossing, parts.crossing);
  EXPECT_EQ(again->corners, parts.corners);
  // A damaged file counts as none: every byte of it is under the checksum.
  const fs::path file = folder / "a.parts";
  for (std::uintmax_t at = 0; at < fs::file_size(file); ++at) {
    store->save("a", parts);
    std::fstream bytes(file, std::ios::binary | std::ios::in | std::ios::out);
    bytes.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(bytes.get());
    bytes.seekp(static_cast<std::streamoff>(at));
    bytes.put(static_cast<char>(old ^ 1));
    bytes.close();
    EXPECT_FALSE(store->load("a")) << at;
  }
  store->save("a", parts);
  for (std::uintmax_t size = fs::file_size(file); size-- > 0;) {
    fs::resize_file(file, size);
    EXPECT_FALSE(store->load("a")) << size;
  }
}

TEST(PartsFolder, IsChosenByTheEnvironment) {
  setenv("RIGOR_CACHE", "/somewhere", 1);
  EXPECT_EQ(cache_folder(), "/somewhere");
  setenv("RIGOR_CACHE", "off", 1);
  EXPECT_EQ(cache_folder(), "");
}

TEST(PartsFolder, ThatCannotBeWrittenIsNoError) {
  const auto store = parts_folder("/proc/none");
  store->save("a", {});
  EXPECT_FALSE(store->load("a"));
}

}  // namespace
}  // namespace rigor
