// Runs the program itself, in a folder of the test's own.
#pragma once

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "support.h"
#include "test_paths.h"

namespace rigor {

namespace fs = std::filesystem;
using nlohmann::json;

struct Result {
  int code = -1;
  std::string out, err;
};

inline std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Cli : public ::testing::Test {
 protected:
  Cli() {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        fs::path(::testing::TempDir()) / ("rigor_cli_" + std::string(info->test_suite_name()) + "_" + info->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Cli() override { fs::remove_all(folder_); }

  /// The arguments are a piece of shell; the working directory is the test's own.
  Result rigor(const std::string& arguments) const {
    const std::string command = "cd '" + folder_.string() + "' && '" RIGOR_PROGRAM "' " + arguments + " 2>stderr.txt";
    Result result;
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return result;
    std::array<char, 4096> buffer;
    while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) result.out.append(buffer.data(), n);
    const int status = pclose(pipe);
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    result.err = read(folder_ / "stderr.txt");
    fs::remove(folder_ / "stderr.txt");
    return result;
  }
  /// A mistake: code 2, one line on standard error that contains `words`, nothing on standard output.
  void expect_mistake(const std::string& arguments, const std::string& words) const {
    const Result r = rigor(arguments);
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.err;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_TRUE(r.err.starts_with("rigor: ")) << r.err;
    EXPECT_NE(r.err.find(words), std::string::npos) << arguments << "\n" << r.err;
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
  }

  fs::path folder_;
};

inline bool has_null(const json& value) {
  if (value.is_null()) return true;
  if (!value.is_structured()) return false;
  return std::any_of(value.begin(), value.end(), [](const json& element) { return has_null(element); });
}

}  // namespace rigor
