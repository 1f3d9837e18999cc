#include "viewer/frame.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "viewer/inspector.h"
#include "viewer/slides.h"

namespace rigor::viewer {

static_assert(std::endian::native == std::endian::little, "frames are written as they lie in memory");

namespace {

constexpr std::size_t kMostSlides = 4;

enum Section : std::uint32_t { poses = 1, flags, points, vectors, boxes, ellipsoids, samples, text, bodies };

class Writer {
 public:
  template <class T> void put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }
  void put(const Vec3& v) {
    for (int k = 0; k < 3; ++k) put(static_cast<float>(v[k]));
  }
  void put(const Quat& q) {
    for (const double c : {q.w, q.x, q.y, q.z}) put(static_cast<float>(c));
  }
  void begin(Section kind, std::size_t run, std::size_t count, std::size_t layer = 0) {
    put<std::uint32_t>(kind);
    put(static_cast<std::uint32_t>(run));
    put(static_cast<std::uint32_t>(count));
    put(static_cast<std::uint32_t>(layer));
  }
  void end() { bytes_.resize((bytes_.size() + 7) / 8 * 8); }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  void append(const std::string& bytes) { bytes_ += bytes; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Debug drawing of one simulation into sections.
class LayerWriter final : public DebugDraw {
 public:
  LayerWriter(Writer& out, std::size_t run) : out_(out), run_(run) {}

  void points(DebugLayer layer, std::span<const DebugPoint> items) override {
    out_.begin(Section::points, run_, items.size(), static_cast<std::size_t>(layer));
    for (const DebugPoint& i : items) out_.put(i.position), out_.put(static_cast<float>(i.value));
    out_.end();
  }
  void vectors(DebugLayer layer, std::span<const DebugVector> items) override {
    out_.begin(Section::vectors, run_, items.size(), static_cast<std::size_t>(layer));
    for (const DebugVector& i : items) out_.put(i.origin), out_.put(i.vector), out_.put(static_cast<float>(i.value));
    out_.end();
  }
  void boxes(DebugLayer layer, std::span<const DebugBox> items) override {
    out_.begin(Section::boxes, run_, items.size(), static_cast<std::size_t>(layer));
    for (const DebugBox& i : items) {
      out_.put(i.box.lower), out_.put(i.box.upper);
      out_.put(static_cast<float>(i.value));
    }
    out_.end();
  }
  void bodies(DebugLayer layer, std::span<const DebugBody> items) override {
    out_.begin(Section::bodies, run_, items.size(), static_cast<std::size_t>(layer));
    for (const DebugBody& i : items) out_.put(i.body.index), out_.put(static_cast<float>(i.value));
    out_.end();
  }
  void ellipsoids(DebugLayer layer, std::span<const DebugEllipsoid> items) override {
    out_.begin(Section::ellipsoids, run_, items.size(), static_cast<std::size_t>(layer));
    for (const DebugEllipsoid& i : items) {
      out_.put(i.frame.translation), out_.put(i.frame.rotation), out_.put(i.radii);
      out_.put(static_cast<float>(i.value));
    }
    out_.end();
  }

 private:
  Writer& out_;
  std::size_t run_;
};

void write_bodies(Writer& out, std::size_t run, const World& world) {
  const std::uint32_t capacity = world.id_capacity();
  const BodyState& s = world.state();
  std::vector<std::uint32_t> slot_of(capacity, s.size());
  for (std::uint32_t slot = 0; slot < s.size(); ++slot) slot_of[s.id_index[slot]] = slot;

  out.begin(poses, run, capacity);
  for (const std::uint32_t slot : slot_of) {
    Transform frame;
    if (slot < s.size()) frame = Transform{s.position[slot], s.orientation[slot]} * world.shape_frame(slot);
    out.put(frame.translation), out.put(frame.rotation);
  }
  out.end();

  out.begin(flags, run, capacity);
  for (const std::uint32_t slot : slot_of) {
    std::uint8_t set = 0;
    if (slot < s.size())
      while (slot >= s.set_end[set]) ++set;
    out.put(static_cast<std::uint8_t>(slot < s.size() ? set + 1 : 0));
  }
  out.end();
}

void write_samples(Writer& out, const FrameSource& source, FrameOptions& options) {
  if (!source.samples) return;
  const std::deque<SampleRow>& rows = *source.samples;
  std::size_t first = rows.size();
  while (first > 0 && rows[first - 1].number >= options.next_sample) --first;
  if (first == rows.size()) return;
  options.next_sample = rows.back().number + 1;
  out.begin(samples, 0, rows.size() - first, 2 + source.runs.size() * kChannelCount);
  for (std::size_t i = first; i < rows.size(); ++i) {
    out.put(static_cast<double>(rows[i].step)), out.put(rows[i].time);
    for (const auto& run : rows[i].runs)
      for (const double value : run) out.put(value);
  }
  out.end();
}

Json status(const FrameSource& source, FrameOptions& options) {
  Json json = {{"real_time_factor", options.real_time_factor}, {"hashes", Json::array()}};
  for (const Simulation& s : source.runs) json["hashes"].push_back(fmt::format("{:016x}", s.hash()));
  if (!options.reports.empty()) json["reports"] = std::exchange(options.reports, {});
  for (const Session::Impact& impact : std::exchange(options.impacts, {}))
    json["impacts"].push_back({impact.speed, impact.impulse, impact.a.index, impact.b.index});
  if (options.sounds && source.playing)
    for (const Slide& slide : loudest_slides(source.runs.front(), kMostSlides))
      json["slides"].push_back({slide.speed, slide.power, slide.a.index, slide.b.index});
  if (options.inspected && source.runs.front().world().contains(options.inspected)) {
    json["inspected"] = Json::array();
    for (const Simulation& s : source.runs) json["inspected"].push_back(inspect(s, options.inspected));
  }
  if (!source.springs) return json;
  for (const auto& [who, spring] : *source.springs) {
    const World& world = source.runs.front().world();
    if (!world.contains(spring.body)) continue;
    const Vec3 p = world.to_world(spring.body, spring.point);
    json["pulls"].push_back({{"from", {p.x, p.y, p.z}},
                             {"to", {spring.target.x, spring.target.y, spring.target.z}},
                             {"force", spring.force}});
  }
  return json;
}

}  // namespace

std::string make_frame(const FrameSource& source, FrameOptions& options) {
  const Simulation& first = source.runs.front();
  Writer out;
  out.reserve(4096 + source.runs.size() * first.world().id_capacity() * 32);
  out.put<std::uint32_t>(0x32474952);  // "RIG2"
  out.put(++options.number);
  out.put(first.time());
  out.put(static_cast<double>(first.steps()));
  out.put(static_cast<std::uint32_t>(source.runs.size()));
  out.put<std::uint32_t>(source.playing ? 1 : 0);
  for (std::size_t i = 0; i < source.runs.size(); ++i) {
    write_bodies(out, i, source.runs[i].world());
    LayerWriter layers(out, i);
    debug_draw(source.runs[i], options.layers, layers);
  }
  write_samples(out, source, options);
  const std::string json = status(source, options).dump(-1, ' ', false, Json::error_handler_t::replace);
  out.begin(text, 0, json.size());
  out.append(json);
  out.end();
  return out.take();
}

std::string make_frame(const Session& session, FrameOptions& options) {
  return make_frame({session.runs(), session.playing(), &session.samples(), &session.springs()}, options);
}

}  // namespace rigor::viewer
