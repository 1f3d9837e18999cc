// DEFLATE (RFC 1951) by canonical Huffman codes, bit by bit: small and plain, fast enough for pictures of some megapixels.
#include <array>

#include "io/png.h"
#include "rigor/error.h"

namespace rigor {

namespace {

class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}

  unsigned take(int count) {
    unsigned value = 0;
    for (int i = 0; i < count; ++i) value |= bit() << i;
    return value;
  }
  unsigned bit() {
    if (at_ >= bytes_.size()) throw Error("compressed data ends too early");
    const unsigned value = static_cast<unsigned char>(bytes_[at_]) >> used_ & 1u;
    if (++used_ == 8) used_ = 0, ++at_;
    return value;
  }
  void to_next_byte() {
    if (used_ > 0) used_ = 0, ++at_;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  int used_ = 0;
};

/// Codes of one alphabet: how many there are of each length, and the symbols in the order of their codes.
class Huffman {
 public:
  explicit Huffman(const std::vector<int>& lengths) {
    for (const int length : lengths) ++count_[static_cast<std::size_t>(length)];
    count_[0] = 0;
    int free = 1;
    for (std::size_t n = 1; n < count_.size(); ++n)
      if ((free = 2 * free - count_[n]) < 0) throw Error("compressed data has an oversubscribed code");
    std::array<int, 17> next{};
    for (std::size_t n = 1; n < count_.size(); ++n) next[n + 1] = next[n] + count_[n];
    symbols_.resize(static_cast<std::size_t>(next[16]));
    for (std::size_t s = 0; s < lengths.size(); ++s)
      if (lengths[s] > 0)
        symbols_[static_cast<std::size_t>(next[static_cast<std::size_t>(lengths[s])]++)] = static_cast<int>(s);
  }

  int symbol(Bits& in) const {
    int code = 0, first = 0, index = 0;
    for (std::size_t n = 1; n < count_.size(); ++n) {
      code |= static_cast<int>(in.bit());
      if (code - count_[n] < first) return symbols_[static_cast<std::size_t>(index + code - first)];
      index += count_[n];
      first = 2 * (first + count_[n]);
      code *= 2;
    }
    throw Error("compressed data has a code that is not known");
  }

 private:
  std::array<int, 16> count_{};
  std::vector<int> symbols_;
};

struct Codes {
  Huffman literals, distances;
};

Codes fixed_codes() {
  std::vector<int> lengths(288, 8);
  for (std::size_t i = 144; i < 256; ++i) lengths[i] = 9;
  for (std::size_t i = 256; i < 280; ++i) lengths[i] = 7;
  return {Huffman(lengths), Huffman(std::vector<int>(30, 5))};
}

Codes read_codes(Bits& in) {
  static constexpr std::array<std::size_t, 19> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                         11, 4,  12, 3, 13, 2, 14, 1, 15};
  const std::size_t literals = in.take(5) + 257, distances = in.take(5) + 1, codes = in.take(4) + 4;
  if (literals > 286 || distances > 30) throw Error("compressed data has too many codes");
  std::vector<int> small(19);
  for (std::size_t i = 0; i < codes; ++i) small[kOrder[i]] = static_cast<int>(in.take(3));
  const Huffman lengths_code(small);
  std::vector<int> lengths;
  while (lengths.size() < literals + distances) {
    const int symbol = lengths_code.symbol(in);
    int value = 0;
    std::size_t count = 1;
    if (symbol < 16) {
      value = symbol;
    } else if (symbol == 16) {
      if (lengths.empty()) throw Error("compressed data repeats a length that is not there");
      value = lengths.back(), count = 3 + in.take(2);
    } else {
      count = symbol == 17 ? 3 + in.take(3) : 11 + in.take(7);
    }
    lengths.insert(lengths.end(), count, value);
  }
  if (lengths.size() > literals + distances) throw Error("compressed data has too many codes");
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(literals);
  return {Huffman({lengths.begin(), middle}), Huffman({middle, lengths.end()})};
}

void require_room(const std::string& out, std::size_t more, std::size_t most) {
  if (more > most - out.size()) throw Error("compressed data is longer than it should be");
}

void copy_block(Bits& in, std::string& out, std::size_t most) {
  in.to_next_byte();
  const unsigned size = in.take(16), check = in.take(16);
  if ((size ^ 0xffffu) != check) throw Error("compressed data has a damaged block");
  require_room(out, size, most);
  for (unsigned i = 0; i < size; ++i) out += static_cast<char>(in.take(8));
}

void expand_block(Bits& in, const Codes& codes, std::string& out, std::size_t most) {
  static constexpr std::array<unsigned, 29> kLength = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static constexpr std::array<int, 29> kLengthBits = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                      2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  static constexpr std::array<unsigned, 30> kDistance = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                         33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                         1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  for (;;) {
    const int symbol = codes.literals.symbol(in);
    if (symbol == 256) return;
    if (symbol < 256) {
      require_room(out, 1, most);
      out += static_cast<char>(symbol);
      continue;
    }
    const auto l = static_cast<std::size_t>(symbol - 257);
    if (l >= kLength.size()) throw Error("compressed data has a length that is not known");
    const std::size_t length = kLength[l] + in.take(kLengthBits[l]);
    const auto d = static_cast<std::size_t>(codes.distances.symbol(in));
    if (d >= kDistance.size()) throw Error("compressed data has a distance that is not known");
    const std::size_t distance = kDistance[d] + in.take(d < 4 ? 0 : static_cast<int>(d / 2) - 1);
    if (distance > out.size()) throw Error("compressed data refers to bytes before its beginning");
    require_room(out, length, most);
    for (std::size_t i = 0; i < length; ++i) out += out[out.size() - distance];
  }
}

}  // namespace

std::string inflate(std::string_view stream, std::size_t most) {
  if (stream.size() < 2 || (stream[0] & 15) != 8 ||
      (static_cast<unsigned char>(stream[0]) * 256u + static_cast<unsigned char>(stream[1])) % 31 != 0)
    throw Error("compressed data does not begin as zlib's does");
  Bits in(stream.substr(2));
  std::string out;
  for (bool last = false; !last;) {
    last = in.bit() != 0;
    switch (in.take(2)) {
      case 0: copy_block(in, out, most); break;
      case 1: expand_block(in, fixed_codes(), out, most); break;
      case 2: expand_block(in, read_codes(in), out, most); break;
      default: throw Error("compressed data has a block of an unknown kind");
    }
  }
  return out;
}

}  // namespace rigor
