// Makes many bodies from a few numbers. A generator is one function and one line of the table at the end.
#include <algorithm>

#include "io/random.h"
#include "io/scene_parts.h"
#include "rigor/error.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

/// Random deviations, each component between minus and plus the given bound.
struct Jitter {
  double position = 0, velocity = 0, angular_velocity = 0;
  Random random{1};

  void read(const JsonReader& r) {
    r.only({"seed", "position", "velocity", "angular_velocity"});
    if (const auto seed = r.find("seed")) random = Random(static_cast<std::uint64_t>(seed->integer(0, kMaxInteger)));
    r.read("position", position, kGapRange);
    r.read("velocity", velocity, kSpeedRange);
    r.read("angular_velocity", angular_velocity, kSpeedRange);
  }
  void apply(BodyDef& def) {
    def.position += random.symmetric_vector(position);
    def.velocity += random.symmetric_vector(velocity);
    def.angular_velocity += random.symmetric_vector(angular_velocity);
  }
};

bool inside(const Vec3& v, const Range& range) {
  const Vec3 a = abs(v);
  return std::max({a.x, a.y, a.z}) <= range.max;
}

/// The inputs of every generator: its parameters, and the world that receives the bodies.
class Maker {
 public:
  Maker(const JsonReader& parameters, WorldBuilder& builder, std::string prefix)
      : r(parameters), axes(*builder.axes), builder_(builder), prefix_(std::move(prefix)) {
    if (const auto given = r.find("jitter")) jitter_.read(*given);
    r.read("at", at, kPositionRange);
    r.read("gap", gap, kGapRange);
  }

  const JsonReader& r;
  const Axes& axes;
  Vec3 at;         // m, where the whole thing is
  double gap = 0;  // m, between neighbours

  std::int64_t count(std::string_view key) const { return r.at(key).integer(1, kMaxCount); }
  /// Refuses too many bodies before any is made. A double, because products of counts may be huge.
  void expect(double bodies) { builder_.expect_generated(static_cast<std::size_t>(std::min(bodies, 1e18)), r); }

  std::vector<BodySpec> bodies() const {
    const JsonReader list = r.at("bodies");
    if (!list.is_list() || list.size() == 0) list.fail_expected("a list of at least one body");
    std::vector<BodySpec> specs;
    for (std::size_t i = 0; i < list.size(); ++i) specs.push_back(read_body_template(list.item(i), builder_.materials));
    return specs;
  }
  BodySpec box_body() const {
    BodySpec spec;
    spec.def.shape = box(sides());
    const auto m = r.find("material");
    spec.def.material = m ? read_material(*m, builder_.materials) : default_material(builder_.materials);
    return spec;
  }
  Vec3 sides() const { return r.at("box").vector(kLengthRange); }

  void add(BodySpec spec, const Vec3& position) {
    spec.def.position = position;
    jitter_.apply(spec.def);
    if (!inside(spec.def.position, kPositionRange) || !inside(spec.def.velocity, kVelocityRange) ||
        !inside(spec.def.angular_velocity, kVelocityRange))
      r.fail("it makes bodies that are too far away or too fast");
    spec.def.name = prefix_ + "_" + std::to_string(made_++);
    builder_.add(spec, r);
  }

 private:
  WorldBuilder& builder_;
  std::string prefix_;
  Jitter jitter_;
  std::size_t made_ = 0;
};

double real(std::int64_t i) { return static_cast<double>(i); }
double middle(std::int64_t i, std::int64_t n) { return real(i) - 0.5 * real(n - 1); }

/// nx × ny × nz bodies around `at`; with several kinds of body, neighbours differ.
void grid(Maker& m) {
  const JsonReader list = m.r.at("count");
  if (!list.is_list() || list.size() != 3) list.fail_expected("three whole numbers");
  std::int64_t n[3];
  for (std::size_t k = 0; k < 3; ++k) n[k] = list.item(k).integer(1, kMaxCount);
  const Vec3 spacing = m.r.at("spacing").vector(kLengthRange);
  m.expect(real(n[0]) * real(n[1]) * real(n[2]));
  const std::vector<BodySpec> bodies = m.bodies();
  for (std::int64_t i = 0; i < n[0]; ++i)
    for (std::int64_t j = 0; j < n[1]; ++j)
      for (std::int64_t k = 0; k < n[2]; ++k)
        m.add(bodies[static_cast<std::size_t>(i + j + k) % bodies.size()],
              m.at + scale(spacing, {middle(i, n[0]), middle(j, n[1]), middle(k, n[2])}));
}

/// Layers of boxes, each shorter by one than the one below, standing on `at`.
void layers(Maker& m, bool square) {
  const std::int64_t base = m.count("base");
  const double n1 = real(base) * (real(base) + 1);
  m.expect(square ? n1 * (2 * real(base) + 1) / 6 : n1 / 2);
  const Vec3 sides = m.sides();
  const double width = dot(sides, m.axes.row) + m.gap, depth = dot(sides, m.axes.depth) + m.gap;
  const double height = dot(sides, m.axes.up);
  const BodySpec body = m.box_body();
  for (std::int64_t layer = 0; layer < base; ++layer) {
    const std::int64_t n = base - layer, rows = square ? n : 1;
    const Vec3 up = m.at + m.axes.up * (height * (real(layer) + 0.5));
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t k = 0; k < rows; ++k)
        m.add(body, up + m.axes.row * (width * middle(i, n)) + m.axes.depth * (depth * middle(k, rows)));
  }
}

void pyramid(Maker& m) { layers(m, false); }
void pyramid3d(Maker& m) { layers(m, true); }

/// Stacks boxes, the lowest on `at`, with a gap between them.
void stack(Maker& m) {
  const std::int64_t n = m.count("count");
  m.expect(real(n));
  const double height = dot(m.sides(), m.axes.up);
  const BodySpec body = m.box_body();
  for (std::int64_t i = 0; i < n; ++i) {
    const double up = 0.5 * height + real(i) * (height + m.gap);
    m.add(body, m.at + m.axes.up * up);
  }
}

/// Bricks in running bond: every other course is shifted by half a brick.
void wall(Maker& m) {
  const std::int64_t columns = m.count("columns"), courses = m.count("courses");
  m.expect(real(columns) * real(courses));
  const double width = dot(m.sides(), m.axes.row) + m.gap, height = dot(m.sides(), m.axes.up);
  const BodySpec body = m.box_body();
  for (std::int64_t j = 0; j < courses; ++j) {
    const double shift = j % 2 == 0 ? -0.25 : 0.25;
    const Vec3 course = m.at + m.axes.up * (height * (real(j) + 0.5));
    for (std::int64_t i = 0; i < columns; ++i)
      m.add(body, course + m.axes.row * (width * (middle(i, columns) + shift)));
  }
}

/// Places bodies at random positions in a box with random orientations, the kinds in turn.
void cloud(Maker& m) {
  const std::int64_t n = m.count("count");
  const Vec3 size = m.r.at("size").vector(kLengthRange);
  std::uint64_t seed = 1;
  if (const auto given = m.r.find("seed")) seed = static_cast<std::uint64_t>(given->integer(0, kMaxInteger));
  m.expect(real(n));
  const std::vector<BodySpec> bodies = m.bodies();
  Random random(seed);
  for (std::int64_t i = 0; i < n; ++i) {
    BodySpec body = bodies[static_cast<std::size_t>(i) % bodies.size()];
    const Vec3 place = m.at + scale(size, random.symmetric_vector(0.5));
    body.def.orientation = random.rotation();
    m.add(std::move(body), place);
  }
}

struct Generator {
  std::string_view name;
  std::vector<std::string> keys;
  void (*make)(Maker&);
};

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all = {
      {"grid", {"name", "count", "spacing", "at", "bodies", "jitter"}, grid},
      {"pyramid", {"name", "base", "box", "at", "gap", "material", "jitter"}, pyramid},
      {"pyramid3d", {"name", "base", "box", "at", "gap", "material", "jitter"}, pyramid3d},
      {"stack", {"name", "count", "box", "at", "gap", "material", "jitter"}, stack},
      {"wall", {"name", "columns", "courses", "box", "at", "gap", "material", "jitter"}, wall},
      {"cloud", {"name", "count", "size", "at", "seed", "bodies", "jitter"}, cloud},
  };
  return all;
}

}  // namespace

void generate(const JsonReader& r, WorldBuilder& builder, std::map<std::string, int>& used) {
  const JsonReader parameters = r.single("the name of a generator");
  std::vector<std::string> known;
  for (const Generator& g : generators()) {
    known.emplace_back(g.name);
    if (g.name != parameters.key()) continue;
    parameters.only(g.keys);
    const int number = ++used[known.back()];
    std::string prefix = known.back() + (number > 1 ? std::to_string(number) : "");
    if (const auto name = parameters.find("name")) prefix = name->text(kMaxNameLength - 20);
    Maker maker(parameters, builder, std::move(prefix));
    return g.make(maker);
  }
  r.fail(unknown_name("generator", short_text(parameters.key()), known));
}

}  // namespace rigor
