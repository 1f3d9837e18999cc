// Any chunks are a recording or an Error. The chunks get their checksums here, which no fuzzer would find.
//
// Input: for each chunk its kind (1 byte), the size of its payload (2 bytes) and the payload. A step's payload may begin with 0xff: the numbers that follow are then
// compressed here.
#include <unistd.h>
#include <zstd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "io/recording_format.h"
#include "rigor/error.h"
#include "rigor/recording.h"

namespace {

using namespace rigor;

std::string with_compressed_numbers(std::string_view payload) {
  constexpr std::size_t kHead = 25;  // step, time, hash and flag
  if (payload.size() < kHead + 5 || static_cast<unsigned char>(payload[0]) != 0xff) return std::string(payload);
  payload.remove_prefix(1);
  const std::size_t bodies = payload[24] == 1 ? static_cast<unsigned char>(payload[25]) : 0;
  std::string out(payload.substr(0, kHead));
  if (payload[24] == 1) {
    rrec::append(out, static_cast<std::uint32_t>(bodies));
    for (std::size_t i = 0; i < bodies; ++i) rrec::append(out, static_cast<std::uint32_t>(i));
  }
  const std::string_view numbers = payload.substr(kHead + 1);
  std::string frame(ZSTD_compressBound(numbers.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), numbers.data(), numbers.size(), 1));
  return out + frame;
}

std::string file_of(std::string_view input) {
  std::string file(rrec::kMagic);
  rrec::append(file, rrec::kVersion);
  std::uint64_t sum = rrec::checksum(rrec::kChecksumStart, file);
  while (input.size() >= 3) {
    const auto kind = static_cast<std::uint32_t>(input[0]);
    const std::size_t wanted = static_cast<unsigned char>(input[1]) + 256u * static_cast<unsigned char>(input[2]);
    const std::string_view given = input.substr(3, wanted);
    input.remove_prefix(3 + given.size());
    const std::string payload = kind == rrec::kStep ? with_compressed_numbers(given) : std::string(given);
    std::string head;
    rrec::append(head, kind);
    rrec::append(head, static_cast<std::uint32_t>(payload.size()));
    sum = rrec::checksum(rrec::checksum(sum, head), payload);
    file += head + payload;
    rrec::append(file, sum);
  }
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/dev/shm/recording_fuzz_" + std::to_string(getpid()) + ".rrec";
  const std::string file = file_of({reinterpret_cast<const char*>(data), size});
  std::ofstream(path, std::ios::binary) << file;
  try {
    const Recording recording = read_recording(path);
    for (const RecordedStep& step : recording.steps)
      for (const RecordedBody& body : step.bodies)
        if (body.name >= recording.names.size()) std::abort();
  } catch (const Error& error) {
    if (std::string_view(error.what()).size() >= 2000) std::abort();
  }
  std::remove(path.c_str());
  return 0;
}
