// Any bytes are a grey picture or an Error of one sentence. The first byte chooses whether they are the file or only its compressed pixels.
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/png.h"
#include "rigor/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rigor;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    if (data[0] % 2 == 0) {
      const GreyPicture picture = read_grey_png(bytes);
      if (picture.pixels.size() != static_cast<std::size_t>(picture.width) * picture.height) std::abort();
    } else if (inflate(bytes, 100'000).size() > 100'000) {
      std::abort();
    }
  } catch (const Error& error) {
    if (std::string_view(error.what()).size() >= 2000) std::abort();
  }
  return 0;
}
