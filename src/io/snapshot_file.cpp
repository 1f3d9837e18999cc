// Snapshot files (.rsnap): magic (8 bytes), version u32, checksum u64 of what follows, size of the payload u64, and the payload
// as one zstd frame. docs/snapshots.md describes its contents.
#include "rigor/snapshot_file.h"

#include <zstd.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "io/recording_format.h"
#include "io/recording_output.h"
#include "io/scene_parts.h"
#include "io/snapshot_parts.h"
#include "io/write_parts.h"

namespace rigor {

namespace {

constexpr std::string_view kMagic{"\x89RSNAP\r\n", 8};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kLargestPayload = 1u << 30;  // bytes
constexpr int kCompressionLevel = 3;

std::string compressed(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kCompressionLevel);
  if (ZSTD_isError(size)) throw std::runtime_error(ZSTD_getErrorName(size));
  out.resize(size);
  return out;
}

std::string expanded(std::string_view frame, std::uint64_t size) {
  const bool plausible = size <= kLargestPayload && ZSTD_getFrameContentSize(frame.data(), frame.size()) == size;
  ByteReader::check(plausible, "compressed data of a wrong size");
  std::string out(size, '\0');
  const std::size_t got = ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size());
  ByteReader::check(!ZSTD_isError(got) && got == size, "compressed data that cannot be expanded");
  return out;
}

void put_time(ByteWriter& out, const TimeSettings& t) {
  out.put(t.fixed);
  out.put(t.step), out.put(t.min_step), out.put(t.max_step), out.put(t.max_advance), out.put(t.speed_up);
}

TimeSettings get_time(ByteReader& in) {
  TimeSettings t;
  t.fixed = in.flag();
  t.step = in.number(), t.min_step = in.number(), t.max_step = in.number();
  t.max_advance = in.number(), t.speed_up = in.number();
  return t;
}

}  // namespace

std::string write_snapshot_payload(const SavedRun& run) {
  if (!run.snapshot) throw Error("snapshot", "it is empty: nothing was saved in it");
  ByteWriter out;
  out.put(run.name), out.put(run.description), out.put(run.duration);
  out.put(print_json(write_method(*run.snapshot.method)));
  put_time(out, run.snapshot.time);
  put_world(out, *run.snapshot.world);
  out.put(*run.snapshot.state);
  return out.take();
}

SavedRun read_snapshot_payload(std::string_view payload) {
  ByteReader in(payload, /*trusted=*/false);
  SavedRun run;
  run.name = in.text(), run.description = in.text(), run.duration = in.number();
  ByteReader::check(run.name.size() <= kMaxNameLength && run.description.size() <= kMaxTextLength,
                    "a string is too long");
  ByteReader::check(run.duration >= kDurationRange.min && run.duration <= kDurationRange.max, "its duration is wrong");
  const Json method = parse_json(in.text());
  Snapshot& s = run.snapshot;
  s.method = std::make_shared<const Method>(read_method(JsonReader(method)));
  s.time = get_time(in);
  s.world = std::make_shared<const World>(get_world(in));
  s.state = std::make_shared<const std::string>(in.text());
  s.trusted = false;
  in.finish();
  s = Simulation(s).save();  // checks all of it
  return run;
}

std::string write_snapshot(const SavedRun& run) {
  const std::string payload = write_snapshot_payload(run);
  if (payload.size() > kLargestPayload) throw Error("snapshot", "it is too large for a file");
  ByteWriter tail;
  tail.put(std::uint64_t{payload.size()});
  const std::string content = tail.take() + compressed(payload);
  ByteWriter head;
  head.put(kVersion);
  head.put(rrec::checksum(rrec::kChecksumStart, content));
  return std::string(kMagic) + head.take() + content;
}

SavedRun read_snapshot(std::string_view bytes) {
  constexpr std::size_t kHead = kMagic.size() + 4 + 8;
  if (!bytes.starts_with(kMagic)) throw Error("this is not a snapshot (.rsnap)");
  ByteReader head(bytes.substr(kMagic.size(), kHead - kMagic.size()), false);
  const auto version = head.get<std::uint32_t>();
  if (version != kVersion)
    throw Error("version " + std::to_string(version) + " of the format is not known, only version " +
                std::to_string(kVersion));
  const auto sum = head.get<std::uint64_t>();
  const std::string_view content = bytes.substr(kHead);
  ByteReader::check(rrec::checksum(rrec::kChecksumStart, content) == sum, "its checksum does not match");
  ByteReader size(content.substr(0, 8), false);
  const auto payload_size = size.get<std::uint64_t>();
  return read_snapshot_payload(expanded(content.substr(8), payload_size));
}

void write_snapshot_file(const std::string& path, const SavedRun& run) {
  const std::string bytes = write_snapshot(run);
  OutputFile file(path);
  file.write(bytes);
  file.finish();
}

SavedRun read_snapshot_file(const std::string& path) {
  try {
    return read_snapshot(read_file(path));
  } catch (const Error& error) {
    throw Error(short_path(path), error.what());
  }
}

}  // namespace rigor
