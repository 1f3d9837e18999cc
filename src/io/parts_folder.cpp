// Layout of a file: magic, checksum u64 of the rest; error f64, wanted f64, flag u8, size u32 and bytes of the crossing, number of parts u32; for each part the number of its
// corners u32 and three f64 for each. Numbers are little-endian.
#include "io/parts_folder.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "io/recording_format.h"
#include "io/recording_output.h"
#include "io/scene_parts.h"
#include "rigor/error.h"

namespace rigor {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "rigor parts 1\n";

std::string bytes_of(const StoredParts& parts) {
  std::string out;
  rrec::append(out, parts.error);
  rrec::append(out, parts.wanted);
  rrec::append(out, static_cast<std::uint8_t>(parts.reached_limit));
  rrec::append(out, static_cast<std::uint32_t>(parts.crossing.size()));
  out += parts.crossing;
  rrec::append(out, static_cast<std::uint32_t>(parts.corners.size()));
  for (const auto& corners : parts.corners) {
    rrec::append(out, static_cast<std::uint32_t>(corners.size()));
    for (const Vec3& p : corners) rrec::append(out, p.x), rrec::append(out, p.y), rrec::append(out, p.z);
  }
  return out;
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T> T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) throw Error("the file is cut off");
    const std::string_view bytes = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return bytes;
  }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

StoredParts parts_of(std::string_view bytes) {
  Reader in(bytes);
  StoredParts parts;
  parts.error = in.number<double>();
  parts.wanted = in.number<double>();
  parts.reached_limit = in.number<std::uint8_t>() != 0;
  parts.crossing = std::string(in.take(in.number<std::uint32_t>()));
  const auto count = in.number<std::uint32_t>();
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto corners = in.number<std::uint32_t>();
    if (corners > in.left() / (3 * sizeof(double))) throw Error("the file is cut off");
    std::vector<Vec3>& list = parts.corners.emplace_back();
    for (std::uint32_t k = 0; k < corners; ++k) {
      Vec3 p;
      for (int axis = 0; axis < 3; ++axis) p[axis] = in.number<double>();
      list.push_back(p);
    }
  }
  return parts;
}

class PartsFolder final : public PartsStore {
 public:
  explicit PartsFolder(std::string folder) : folder_(std::move(folder)) {}

  std::optional<StoredParts> load(const std::string& key) const override {
    try {
      std::error_code error;
      if (!fs::is_regular_file(path_of(key), error)) return std::nullopt;
      const std::string file = read_file(path_of(key));
      if (!file.starts_with(kMagic)) return std::nullopt;
      Reader in(std::string_view(file).substr(kMagic.size()));
      const auto sum = in.number<std::uint64_t>();
      const std::string_view content = in.take(in.left());
      if (sum != rrec::checksum(rrec::kChecksumStart, content)) return std::nullopt;
      return parts_of(content);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  void save(const std::string& key, const StoredParts& parts) const override {
    try {
      std::error_code error;
      fs::create_directories(folder_, error);
      OutputFile file(path_of(key));
      const std::string content = bytes_of(parts);
      std::string head(kMagic);
      rrec::append(head, rrec::checksum(rrec::kChecksumStart, content));
      file.write(head);
      file.write(content);
      file.finish();
    } catch (const std::exception&) {  // the disk is full or the folder is read-only: the next run decomposes again
    }
  }

 private:
  std::string path_of(const std::string& key) const { return (fs::path(folder_) / (key + ".parts")).string(); }

  std::string folder_;
};

}  // namespace

std::shared_ptr<const PartsStore> parts_folder(const std::string& folder) {
  return std::make_shared<const PartsFolder>(folder);
}

std::string cache_folder() {
  if (const char* own = std::getenv("RIGOR_CACHE")) return std::string_view(own) == "off" ? "" : own;
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return (fs::path(cache) / "rigor").string();
  if (const char* home = std::getenv("HOME"); home && *home) return (fs::path(home) / ".cache" / "rigor").string();
  return "";
}

}  // namespace rigor
