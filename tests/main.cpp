// The program of all tests. Tests run in parallel, one process each, so each process has a temporary folder of its own.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>

#include "rigor/extend/registrar.h"

namespace {

/// Every `testing::TempDir()` lies in this folder, which is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "rigor_tests_XXXXXX").string();
    if (!mkdtemp(path.data())) return;
    path_ = path;
    setenv("TEST_TMPDIR", (path + "/").c_str(), 1);
    setenv("RIGOR_CACHE", "off", 0);  // programs that tests start write no cache
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  bool exists() const { return !path_.empty(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

int main(int argc, char** argv) {
  const TemporaryFolder folder;
  if (!folder.exists()) {
    std::cerr << "rigor_tests: no temporary folder can be made\n";
    return 2;
  }
  // A plugin's methods take part in every test over registered methods: RIGOR_TEST_PLUGIN=FILE.so rigor_tests --gtest_filter=…
  if (const char* plugin = std::getenv("RIGOR_TEST_PLUGIN")) rigor::load_plugin(plugin);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
