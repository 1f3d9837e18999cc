// Scenes from files: missing, unreadable, hostile, huge.
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>

#include "long_tests.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

namespace fs = std::filesystem;

class SceneFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              (std::string("rigor_") + info->name() + "_" + std::to_string(std::random_device{}()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }

  std::string file(const std::string& content) {
    const fs::path path = folder_ / "scene.json";
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  static std::string message_of(const std::string& path) {
    try {
      open_scene(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "(no error)";
  }

  fs::path folder_;
};

#define EXPECT_ENDS_WITH(text, end) EXPECT_TRUE(std::string(text).ends_with(end)) << text

TEST_F(SceneFiles, AreReadByName) {
  const std::string path = file(R"({"rigor":1,"name":"small"})");
  EXPECT_EQ(load_scene_file(path).name, "small");
  EXPECT_EQ(open_scene(path).name, "small");
}

TEST_F(SceneFiles, MistakesBeginWithTheFile) {
  const std::string message = message_of(file("{\"rigor\":1,\n\"nme\":\"x\"}"));
  EXPECT_NE(message.find("scene.json: unknown key 'nme'; did you mean name?"), std::string::npos) << message;
  EXPECT_NE(message_of(file("{\n,")).find("scene.json: line 2, column 1: "), std::string::npos);
}

TEST_F(SceneFiles, MissingOrNoFile) {
  EXPECT_ENDS_WITH(message_of((folder_ / "none.json").string()), "none.json: there is no such file");
  EXPECT_ENDS_WITH(message_of(folder_.string()), ": this is a directory, not a file");
  EXPECT_ENDS_WITH(message_of("./" + std::string(5000, 'x')), "x: there is no such file");
  EXPECT_ENDS_WITH(message_of(file("")), "the text is empty; expected a JSON object");
}

/// Takes from this thread the right of root to read every file, and gives it back at the end. Other users never had it.
class WithoutRightsOfRoot {
 public:
  WithoutRightsOfRoot() {
    if (syscall(SYS_capget, &header_, before_.data()) != 0) return;
    std::array<__user_cap_data_struct, 2> reduced = before_;
    reduced[0].effective &= ~((1u << CAP_DAC_OVERRIDE) | (1u << CAP_DAC_READ_SEARCH));
    changed_ = syscall(SYS_capset, &header_, reduced.data()) == 0;
  }
  ~WithoutRightsOfRoot() {
    if (changed_) syscall(SYS_capset, &header_, before_.data());
  }
  WithoutRightsOfRoot(const WithoutRightsOfRoot&) = delete;
  WithoutRightsOfRoot& operator=(const WithoutRightsOfRoot&) = delete;

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> before_{};
  bool changed_ = false;
};

TEST_F(SceneFiles, Unreadable) {
  const std::string path = file("{}");
  fs::permissions(path, fs::perms::none);
  const WithoutRightsOfRoot reduced;
  EXPECT_FALSE(std::ifstream(path).is_open());
  EXPECT_ENDS_WITH(message_of(path), "the file cannot be read");
}

TEST_F(SceneFiles, UnknownBuiltinSceneListsNames) {
  EXPECT_EQ(message_of("keplr"), "unknown scene 'keplr'; did you mean kepler?");
  EXPECT_NE(message_of("zzz").find("g-tumbling"), std::string::npos);
}

TEST_F(SceneFiles, TooLarge) {
  const std::string path = file("{}");
  std::error_code error;
  fs::resize_file(path, 600'000'000, error);  // sparse
  if (error) GTEST_SKIP() << "no room for a sparse file";
  EXPECT_ENDS_WITH(message_of(path), "the file is larger than 512 MB");
}

/// 100 MB each, 10 MB on a sample. The bound is of processor time and generous, for the sake of sanitizers.
class HugeSceneFiles : public SceneFiles {
 protected:
  static constexpr std::size_t kFullSize = 100'000'000;
  const std::size_t kSize = test::on_a_sample() ? kFullSize / 10 : kFullSize;
  static constexpr double kSeconds = 60;

  std::string timed_message_of(const std::string& content) {
    const std::string path = file(content);
    const std::clock_t start = std::clock();
    const std::string message = message_of(path);
    const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LT(taken, kSeconds);
    EXPECT_LT(message.size(), 400u);
    RecordProperty("milliseconds", static_cast<int>(1000 * taken));
    return message;
  }
};

TEST_F(HugeSceneFiles, RandomBytes) {
  std::mt19937_64 random(1);
  std::string content(kSize, '\0');
  for (std::size_t i = 0; i + 8 <= kSize; i += 8) {
    const std::uint64_t word = random();
    std::memcpy(&content[i], &word, 8);
  }
  EXPECT_NE(timed_message_of(content).find("line 1, column 1: "), std::string::npos);
}

TEST_F(HugeSceneFiles, OpeningBrackets) {
  EXPECT_ENDS_WITH(timed_message_of(std::string(kSize, '[')),
                   "more than 64 lists and objects are nested in each other");
}

TEST_F(HugeSceneFiles, OneEndlessString) {
  EXPECT_NE(timed_message_of("{\"rigor\":1,\"name\":\"" + std::string(kSize, 'x')).find("missing closing quote"),
            std::string::npos);
}

TEST_F(HugeSceneFiles, NumbersUnderAnUnknownKey) {
  std::string content = "{\"rigor\":1,\"junk\":[0";
  while (content.size() < kSize) content += ",1.25";
  EXPECT_NE(timed_message_of(content + "]}").find("unknown key 'junk'"), std::string::npos);
}

TEST_F(HugeSceneFiles, TooManyValues) {
  std::string content = "{\"rigor\":1,\"junk\":[0";
  while (content.size() < kFullSize) content += ",1";
  EXPECT_NE(timed_message_of(content + "]}").find("more than 32000000 values"), std::string::npos);
}

TEST_F(HugeSceneFiles, ManyKeysInOneObject) {
  std::string content = "{\"rigor\":1,\"world\":{\"materials\":{\"first\":{}";
  for (int i = 0; content.size() < kSize / 10; ++i) content += ",\"m" + std::to_string(i) + "\":{}";
  EXPECT_NE(timed_message_of(content + "}},\"junk\":0}").find("unknown key 'junk'"), std::string::npos);
}

}  // namespace
}  // namespace rigor
