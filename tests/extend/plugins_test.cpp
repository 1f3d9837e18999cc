// Which libraries are refused, and why.
#include <filesystem>
#include <fstream>

#include "extend/extend.h"

namespace rigor::test {

namespace {

std::string refusal(const std::string& file) {
  const std::string sentence = error_of([&] { load_plugin(file); });
  EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  EXPECT_TRUE(sentence.starts_with("plugin '" + file + "': ")) << sentence;
  return sentence.substr(sentence.find("': ") + 3);
}

}  // namespace

TEST(Plugins, RefusedWithAReason) {
  const std::filesystem::path text = std::filesystem::path(testing::TempDir()) / "text.so";
  std::ofstream(text) << "this is no library\n";
  EXPECT_EQ(refusal("/nowhere/at/all.so"), "there is no such file");
  EXPECT_EQ(refusal(testing::TempDir()), "it is not a file");
  EXPECT_TRUE(refusal(text.string()).starts_with("it cannot be loaded: ")) << refusal(text.string());
  EXPECT_EQ(refusal(plugin_file("no_plugin")), "it has no symbol 'rigor_plugin', which RIGOR_PLUGIN makes");
  EXPECT_EQ(refusal(plugin_file("other_symbol")), "its symbol 'rigor_plugin' was not made by RIGOR_PLUGIN");
  EXPECT_EQ(refusal(plugin_file("other_abi")),
            "it was built for version 2 of the extension interface, and this program has version 1; build it again");
  EXPECT_NE(refusal(plugin_file("other_layout")).find("other headers"), std::string::npos);
  EXPECT_NE(refusal(plugin_file("missing_function")).find("undefined symbol"), std::string::npos);
  EXPECT_EQ(refusal(plugin_file("throws_at_once")), "the licence server is down");
}

TEST(Plugins, ATakenNameRegistersNothing) {
  const std::size_t before = methods().size();
  EXPECT_EQ(refusal(plugin_file("name_taken")), "integrator 'rk4': there is already one of this name");
  EXPECT_EQ(methods().size(), before);
  EXPECT_EQ(find_method(Kind::integrator, "stands-still"), nullptr);
}

TEST(Plugins, LoadedTwiceIsRefused) {
  use_plugin("integrator");
  EXPECT_EQ(refusal(plugin_file("integrator")), "integrator 'heun': there is already one of this name");
}

TEST(Plugins, AppearInTheList) {
  use_plugin("integrator");
  const MethodInfo* heun = find_method(Kind::integrator, "heun");
  ASSERT_NE(heun, nullptr);
  EXPECT_EQ(heun->reference, "Heun 1900");
  EXPECT_TRUE(std::is_sorted(methods().begin(), methods().end(),
                             [](const MethodInfo& a, const MethodInfo& b) { return a.kind < b.kind; }));
}

namespace {

class Nothing final : public extend::Integrator {
 public:
  void integrate(extend::Motion&, double, double) override {}
};
class Broken final : public extend::Integrator {
 public:
  void fields(FieldVisitor&) override { throw std::logic_error("no fields today"); }
  void integrate(extend::Motion&, double, double) override {}
};

std::string refused_name(const std::string& name) {
  return error_of([&] { enroll([&](extend::Registrar& r) { r.add<Nothing>({name, "", ""}); }); });
}

}  // namespace

TEST(Enroll, RefusesWhatCannotBeUsed) {
  for (const std::string name : {"", "Heun", "a b", "-x", "x.y", "a=b"})
    EXPECT_NE(refused_name(name).find("lower-case letters"), std::string::npos) << name;
  EXPECT_NE(error_of([] {
              enroll([](extend::Registrar& r) { r.add<Broken>({"broken", "", ""}); });
            }).find("integrator 'broken': a default instance cannot be made"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              enroll([](extend::Registrar& r) { r.add(Kind::preset, {"mine", "", ""}, [] { return nullptr; }); });
            }).find("cannot add this kind"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              enroll([](extend::Registrar& r) { r.add(Kind::sleep, {"mine", "", ""}, [] { return nullptr; }); });
            }).find("its maker returned nothing"),
            std::string::npos);
  EXPECT_EQ(find_method(Kind::integrator, "broken"), nullptr);
}

}  // namespace rigor::test
