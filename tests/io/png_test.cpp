// Grey PNG pictures, made here by zlib's rules with stored and with fixed blocks.
#include "io/png.h"

#include <gtest/gtest.h>

#include "rigor/error.h"

namespace rigor {
namespace {

std::string word(std::uint32_t value) {
  std::string out;
  for (int k = 24; k >= 0; k -= 8) out += static_cast<char>(value >> k);
  return out;
}

std::string chunk(const std::string& kind, const std::string& data) {
  return word(static_cast<std::uint32_t>(data.size())) + kind + data + word(0);  // checksums are not checked
}

/// A zlib stream of one stored block.
std::string stored(const std::string& data) {
  std::string out = "\x78\x01\x01";
  const auto size = static_cast<unsigned>(data.size());
  for (const unsigned v : {size, size ^ 0xffffu}) out += static_cast<char>(v), out += static_cast<char>(v >> 8);
  return out + data + word(0);
}

std::string picture(std::uint32_t width, std::uint32_t height, char depth, char color, const std::string& stream) {
  return std::string("\x89PNG\r\n\x1a\n", 8) +
         chunk("IHDR", word(width) + word(height) + depth + color + std::string(3, '\0')) + chunk("IDAT", stream) +
         chunk("IEND", "");
}

TEST(Png, RowsAreFiltered) {
  using namespace std::string_literals;
  // Filters: none, left, above, mean and Paeth's.
  const std::string rows =
      "\0\x0a\x14\x1e"s + "\1\x0a\x0a\x0a"s + "\2\x01\x01\x01"s + "\3\x06\x05\x05"s + "\4\x01\x01\x01"s;
  const GreyPicture p = read_grey_png(picture(3, 5, 8, 0, stored(rows)));
  ASSERT_EQ(p.width, 3u);
  ASSERT_EQ(p.height, 5u);
  const std::vector<std::uint8_t> expected = {10, 20, 30, 10, 20, 30, 11, 21, 31, 11, 21, 31, 12, 22, 32};
  EXPECT_EQ(p.pixels, expected);
}

TEST(Png, Of16BitsTheUpperHalfCounts) {
  using namespace std::string_literals;
  const GreyPicture p = read_grey_png(picture(2, 2, 16, 0, stored("\0\x01\xff\x02\xff"s + "\0\x03\x00\x04\x00"s)));
  EXPECT_EQ(p.pixels, (std::vector<std::uint8_t>{1, 2, 3, 4}));
}

TEST(Png, CompressedDataIsExpanded) {
  // python: zlib.compress(b"abcabcabcabcabcabcabcabc" * 4, 9): fixed codes with a match that overlaps itself
  const std::string stream("\x78\xda\x4b\x4c\x4a\x4e\xa4\x25\x02\x00\xf6\xda\x24\xc1", 14);
  EXPECT_EQ(inflate(stream, 96).size(), 96u);
  EXPECT_TRUE(inflate(stream, 96).starts_with("abcabcabc"));
  EXPECT_THROW(inflate(stream, 95), Error);
}

TEST(Png, CodesOfTheStreamItselfAreRead) {
  // zlib.compress() of the bytes below, with codes of its own
  static constexpr char kStream[] =
      "\x78\xda\x35\xd1\x57\x02\x5d\x21\x08\x04\xd0\xed\x80\x05\x01\x3b\x96\xfd\x2f\x2b\xd7\x97\x64\x94"
      "\x81\xff\x03\xf0\x0b\xa2\x73\xde\x87\x48\x94\x58\x34\xd7\xd6\x87\xad\x73\xd1\x05\x62\x2d\x6d\xd8"
      "\xbe\xe8\x89\x73\x1d\x76\x30\x90\x94\x6e\xc7\x45\xce\xdd\xae\x23\xa9\xf3\x38\xd2\x66\xd7\xa7\x3c"
      "\xb6\xa3\xdc\xb7\xfb\xae\xe3\xb9\x2e\xa4\x3c\x6f\xd4\x71\x82\x8e\x1b\xf3\x04\x2a\x86\xdc\x4e\xc8"
      "\x13\xb9\x9f\x58\x96\x57\x73\x32\x90\x07\x70\x07\x1e\x28\xd3\xa9\xf9\xbc\x62\xbd\x69\xa0\xbe\xcd"
      "\xd3\x97\x57\xf5\x8a\xc5\x86\xf9\xb0\xc5\xee\xca\x95\x95\x66\xec\xbe\x62\x01\x3d\xb2\x79\xf1\x4a"
      "\xf6\xef\x2d\xde\x72\xf4\x66\x28\xd8\xfc\x88\x96\xb6\x42\x71\x3d\x1a\xdf\x6f\xd1\x52\x68\xc1\x04"
      "\x5a\x5c\x8a\x9d\x76\xf6\x53\xa0\xd3\xa9\x71\x65\x6f\xea\xbe\x3f\x5f\x7b\xcb\x61\x57\xba\x9d\x71"
      "\xaa\xdf\x35\xc1\xd4\x70\x3a\xbb\x55\x13\xfe\x1d\x76\xbb\x49\xb8\xb3\x24\xb7\xbb\x46\x58\x4d\x23"
      "\xae\x9e\x93\x3b\xb3\x4a\x7c\xad\xe4\xef\xea\x45\xc8\xc3\x9e\x2d\x73\x74\xb0\xad\x57\x65\x0a\x78"
      "\xb7\x8d\x56\xb3\x24\x0a\x1e\xe1\xec\x65\x73\xf4\x56\x4b\x56\x11\xe6\x94\xe8\x4b\xfc\xe5\x5d\x29"
      "\x31\xcb\x47\x54\x9e\xd1\xb4\xb5\x0f\xa0\x0f\x94\xe4\x43\xfb\x31\x3d\xb1\xda\x6d\xc3\xf3\x69\x73"
      "\x83\x7f\x5c\xeb\x7a\xd2\xe7\x14\x7f\x5a\x29\xf7\x85\x51\xdb\x82\xa8\x0f\xab\xcc\x1b\xa4\x6d\xf7"
      "\xc0\xd2\xdf\x71\x9f\x4e\xd0\x09\xa9\x6e\xaf\xcf\xea\x52\xdd\x21\xdb\xe3\xd2\x47\xf4\x5f\xe9\x50"
      "\x07\x99\x3e\x6f\xea\x4f\xab\x81\x58\x68\x7f\x00\x1a\xca\x76\xab";
  std::string expected;
  for (int i = 0; i < 600; ++i) expected += static_cast<char>(i * i / 37 % 23 + 40);
  EXPECT_EQ(inflate({kStream, sizeof kStream - 1}, 600), expected);
}

TEST(Png, OthersAreRefused) {
  using namespace std::string_literals;
  const std::string good = picture(2, 2, 8, 0, stored("\0ab\0cd"s));
  EXPECT_NO_THROW(read_grey_png(good));
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(read_grey_png(good.substr(0, size)), Error) << size;
  EXPECT_THROW(read_grey_png(picture(2, 2, 8, 2, stored("\0ab\0cd"s))), Error);         // colours
  EXPECT_THROW(read_grey_png(picture(2, 2, 4, 0, stored("\0ab\0cd"s))), Error);         // small samples
  EXPECT_THROW(read_grey_png(picture(8000, 8000, 8, 0, stored("\0ab\0cd"s))), Error);   // more pixels than fit
  EXPECT_THROW(read_grey_png(picture(2, 3, 8, 0, stored("\0ab\0cd"s))), Error);         // pixels are missing
  EXPECT_THROW(read_grey_png(picture(2, 2, 8, 0, stored("\7ab\0cd"s))), Error);         // unknown filter
  EXPECT_THROW(read_grey_png(picture(1u << 30, 2, 8, 0, stored("\0ab\0cd"s))), Error);  // too large
}

}  // namespace
}  // namespace rigor
