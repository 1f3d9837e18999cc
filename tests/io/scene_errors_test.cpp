// Every kind of bad input is an Error that names the place.
#include <gtest/gtest.h>

#include "io/scene_bad_scenes.h"
#include "rigor/error.h"
#include "rigor/scene.h"

namespace rigor {
namespace {

std::string message_of(std::string_view text) {
  try {
    parse_scene(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(SceneErrors, NamePlaceAndReason) {
  for (const test::BadScene& bad : test::bad_scenes()) {
    const std::string message = message_of(bad.text);
    EXPECT_TRUE(message.starts_with(bad.message))
        << bad.what << "\n  expected " << bad.message << "\n  got      " << message;
    EXPECT_LT(message.size(), 400u) << bad.what;
    EXPECT_EQ(message.find('\n'), std::string::npos) << bad.what;
  }
}

TEST(SceneErrors, SyntaxHasLineAndColumn) {
  const std::pair<std::string, std::string> cases[] = {
      {"{\"rigor\":1,\n \"run\":{\"dt\":NaN}}", "line 2, column 14: invalid literal"},
      {"{\"rigor\":1,\n \"run\":{\"dt\":Infinity}}", "line 2, column 14: invalid literal"},
      {"{\"rigor\":1,\n \"run\":{\"dt\":-Infinity}}", "line 2, column 15: invalid number"},
      {"{\"rigor\":1,\n \"run\":{\"dt\":1e999}}", "line 2, column 18: the number is too large"},
      {"{\"rigor\":1,\n \"run\":{\"dt\":-1e999}}", "line 2, column 19: the number is too large"},
      {"{\"rigor\":1", "line 1, column 11: unexpected end of input"},
      {"{\"rigor\":1,}", "line 1, column 12: unexpected '}'"},
      {"{\"rigor\":1} x", "line 1, column 13: "},
      {"{\"rigor\":1,\"name\":\"\xff\"}", "line 1, column 20: invalid string: ill-formed UTF-8"},
      {"{\"rigor\":1,\"name\":\"\x01\"}", "line 1, column 20: invalid string"},
      {"{\"rigor\":1,\"name\":\"abc", "line 1, column 23: invalid string: missing closing quote"},
      {"{'rigor':1}", "line 1, column 2: invalid literal"},
      {"# no comment\n{\"rigor\":1}", "line 1, column 1: invalid literal"},
      {"/* cut off {\"rigor\":1}", "line 1, column 23: invalid comment"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = message_of(text);
    EXPECT_TRUE(message.starts_with(expected)) << "expected " << expected << "\n  got      " << message;
    EXPECT_LT(message.size(), 200u);
  }
}

TEST(SceneErrors, EmptyText) {
  EXPECT_EQ(message_of(""), "the text is empty; expected a JSON object");
  EXPECT_EQ(message_of(" \n\t "), "the text is empty; expected a JSON object");
  EXPECT_TRUE(message_of("\xef\xbb\xbf").starts_with("line 1, column "));
  EXPECT_TRUE(message_of(std::string(1, '\0')).starts_with("line 1, column "));
}

TEST(SceneErrors, DoubledKey) {
  EXPECT_EQ(message_of(R"({"rigor":1,"rigor":1})"), "the key 'rigor' is given twice");
  EXPECT_EQ(message_of(test::body(R"("shape":{"sphere":1},"mass":1,"mass":2)")),
            "world.bodies[0]: the key 'mass' is given twice");
  // Escapes do not hide it.
  EXPECT_EQ(message_of(R"({"rigor":1,"name":"a","n\u0061me":"b"})"), "the key 'name' is given twice");
}

TEST(SceneErrors, DeepNesting) {
  const std::string message = message_of(std::string(65, '['));
  EXPECT_EQ(message, "more than 64 lists and objects are nested in each other");
  std::string shape = R"({"sphere":1})";
  for (int i = 0; i < 40; ++i) shape = R"({"transformed":{"shape":)" + shape + "}}";
  EXPECT_EQ(message_of(test::body("\"shape\":" + shape)), message);
}

TEST(SceneErrors, LongUserTextIsCut) {
  const std::string long_name(10'000, 'n');
  for (const std::string& text :
       {"{\"rigor\":1,\"" + long_name + "\":1}", test::method("\"" + std::string(150, 'n') + "\""),
        test::shape("\"" + long_name + "\":1"), test::force("\"type\":\"drag\",\"" + long_name + "\":1"),
        test::body("\"shape\":{\"sphere\":1},\"material\":\"" + std::string(150, 'n') + "\""),
        test::method("{\"" + long_name + "\":1}"), "{\"rigor\":1,\"up\":\"" + long_name}) {
    const std::string message = message_of(text);
    EXPECT_EQ(message.find(std::string(64, 'n')), std::string::npos) << message;
    EXPECT_NE(message, "(no error)");
  }
}

TEST(SceneErrors, MessagesAreUtf8WithoutControlCharacters) {
  // 20 three-byte characters: the cut must not split one.
  std::string name;
  for (int i = 0; i < 30; ++i) name += "€";
  const std::string message = message_of("{\"rigor\":1,\"" + name + "\":1}");
  EXPECT_NE(message.find("€…'"), std::string::npos) << message;
  EXPECT_NE(message_of(R"({"rigor":1,"a\u0007b":1})").find("unknown key 'a?b'"), std::string::npos);
}

}  // namespace
}  // namespace rigor
