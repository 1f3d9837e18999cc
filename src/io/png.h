// Grey pictures from PNG files, as height fields need them (ISO/IEC 15948). Interlaced ones and those with colours are refused.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rigor {

struct GreyPicture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;  // by rows from the top; of 16 bits the upper 8
};

/// Error in one sentence if the bytes are no such picture. Memory is bounded by the size in the header, which is checked first.
GreyPicture read_grey_png(std::string_view bytes);

/// The bytes of a zlib stream (RFC 1950, 1951); Error if it is damaged or longer than `most`. The checksum at its end is not checked: PNG has its own.
std::string inflate(std::string_view stream, std::size_t most);

}  // namespace rigor
