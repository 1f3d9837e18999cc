#include "io/png.h"

#include <algorithm>
#include <cstdlib>

#include "io/scene_limits.h"
#include "rigor/error.h"

namespace rigor {

namespace {

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

struct Header {
  std::uint32_t width = 0, height = 0;
  std::size_t depth = 0;     // bits of a sample
  std::size_t channels = 1;  // 2: grey with transparency

  std::size_t pixel_bytes() const { return std::max<std::size_t>(1, depth * channels / 8); }
  std::size_t row_bytes() const { return (width * depth * channels + 7) / 8; }
};

constexpr std::size_t kMaxPixels =
    20'000'000;  // A compressed picture of a few kilobytes could fill the memory otherwise.

Header read_header(std::string_view data) {
  if (data.size() != 13) throw Error("the picture has no header");
  Header h{big_endian(data, 0), big_endian(data, 4), static_cast<unsigned char>(data[8]), 1};
  const auto most = static_cast<std::uint32_t>(kMaxGridSamples);
  if (h.width < 2 || h.height < 2 || h.width > most || h.height > most)
    throw Error("the picture has " + std::to_string(h.width) + " × " + std::to_string(h.height) +
                " pixels; height fields have 2 to " + std::to_string(most) + " samples along each side");
  if (static_cast<std::size_t>(h.width) * h.height > kMaxPixels)
    throw Error("the picture has " + std::to_string(h.width) + " × " + std::to_string(h.height) +
                " pixels; height fields have at most " + std::to_string(kMaxPixels / 1'000'000) + " million");
  const int color = data[9];
  if (color != 0 && color != 4) throw Error("the picture has colours; a height field is a grey one");
  h.channels = color == 4 ? 2 : 1;
  if (h.depth != 8 && h.depth != 16) throw Error("the picture has samples of neither 8 nor 16 bits");
  if (data[12] != 0) throw Error("the picture is interlaced, which is not supported");
  return h;
}

/// Undoes the filter of a row; `above` is the row before, zeros for the first.
void unfilter(int filter, const std::string& above, std::size_t pixel, std::string& row) {
  const auto at = [](const std::string& s, std::size_t i) {
    return static_cast<int>(static_cast<unsigned char>(s[i]));
  };
  for (std::size_t i = 0; i < row.size(); ++i) {
    const int a = i >= pixel ? at(row, i - pixel) : 0, b = at(above, i), c = i >= pixel ? at(above, i - pixel) : 0;
    int guess = 0;
    switch (filter) {
      case 0: break;
      case 1: guess = a; break;
      case 2: guess = b; break;
      case 3: guess = (a + b) / 2; break;
      case 4: {  // Paeth: the neighbour next to a + b − c
        const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
        guess = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
        break;
      }
      default: throw Error("the picture has a row with an unknown filter");
    }
    row[i] = static_cast<char>(at(row, i) + guess);
  }
}

}  // namespace

GreyPicture read_grey_png(std::string_view bytes) {
  constexpr std::string_view kMagic("\x89PNG\r\n\x1a\n", 8);
  if (!bytes.starts_with(kMagic)) throw Error("the file is not a PNG picture");
  bytes.remove_prefix(kMagic.size());
  Header header;
  std::string stream;
  for (bool ended = false; !ended;) {
    if (bytes.size() < 12 || big_endian(bytes, 0) > bytes.size() - 12) throw Error("the picture ends too early");
    const std::size_t size = big_endian(bytes, 0);
    const std::string_view kind = bytes.substr(4, 4), data = bytes.substr(8, size);
    if (kind == "IHDR") header = read_header(data);
    if (kind == "IDAT") stream += data;
    ended = kind == "IEND";
    bytes.remove_prefix(size + 12);
  }
  if (header.width == 0) throw Error("the picture has no header");
  const std::size_t row_bytes = header.row_bytes();
  const std::string raw = inflate(stream, (row_bytes + 1) * header.height);
  if (raw.size() != (row_bytes + 1) * header.height) throw Error("the picture has fewer pixels than its header says");
  GreyPicture picture{header.width, header.height, {}};
  picture.pixels.reserve(static_cast<std::size_t>(header.width) * header.height);
  std::string above(row_bytes, '\0');
  for (std::size_t r = 0; r < header.height; ++r) {
    std::string row = raw.substr(r * (row_bytes + 1) + 1, row_bytes);
    unfilter(raw[r * (row_bytes + 1)], above, header.pixel_bytes(), row);
    for (std::size_t i = 0; i < row_bytes; i += header.pixel_bytes())
      picture.pixels.push_back(static_cast<std::uint8_t>(row[i]));
    above = std::move(row);
  }
  return picture;
}

}  // namespace rigor
