#include "lab/still.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "io/material_color.h"
#include "lab/quantile.h"
#include "lab/shape_faces.h"

namespace rigor {

namespace {

constexpr double kWidth = kStillWidth, kHeight = kStillHeight;
constexpr double kFocal = 1.9;              // half heights: about 56 degrees of view
constexpr double kNear = 0.05;              // of the distance to the target
constexpr double kCut = 0.04;               // of the bodies and instants may be outside of the picture …
constexpr std::size_t kFewBodies = 100;     // … unless there are fewer bodies, all of which are seen …
constexpr double kReach = 1;                // … within this many sizes of the scene
constexpr std::size_t kMostItems = 20'000;  // beyond that the farthest are left out

struct Rgb {
  double r, g, b;
};
constexpr Rgb kColors[] = {{0.36, 0.56, 0.85}, {0.93, 0.62, 0.32}, {0.42, 0.72, 0.53}, {0.85, 0.48, 0.52},
                           {0.62, 0.53, 0.80}, {0.80, 0.72, 0.38}, {0.38, 0.70, 0.76}, {0.78, 0.58, 0.44}};
constexpr Rgb kFixedColor = {0.62, 0.64, 0.68};

std::string text(const Rgb& c, double light) {
  const auto part = [&](double v) { return std::clamp(static_cast<int>(255 * std::min(1.0, v * light)), 0, 255); };
  return fmt::format("#{:02x}{:02x}{:02x}", part(c.r), part(c.g), part(c.b));
}

Vec3 up_of(const World& world) {
  if (world.contains(world.gravity()))
    if (const auto* g = dynamic_cast<const Gravity*>(world.force(world.gravity()).effect.get());
        g && length(g->acceleration) > 0)
      return -normalized(g->acceleration);
  return {0, 1, 0};
}

struct Point {
  double x = 0, y = 0;
};

/// From the world to pixels.
class View {
 public:
  explicit View(const Camera& c) : eye_(c.eye), forward_(normalized(c.target - c.eye)) {
    right_ = normalized(cross(forward_, c.up));
    up_ = cross(right_, forward_);
    near_ = kNear * length(c.target - c.eye);
  }
  double depth(const Vec3& p) const { return dot(p - eye_, forward_); }
  bool visible(const Vec3& p) const { return depth(p) > near_; }
  double scale(const Vec3& p) const { return 0.5 * kHeight * kFocal / depth(p); }
  Point at(const Vec3& p) const {
    const double s = scale(p);
    return {0.5 * kWidth + s * dot(p - eye_, right_), 0.5 * kHeight - s * dot(p - eye_, up_)};
  }
  const Vec3& eye() const { return eye_; }

 private:
  Vec3 eye_, forward_, right_, up_;
  double near_;
};

std::string path_of(const View& view, const std::vector<Vec3>& corners) {
  std::string d;
  for (const Vec3& p : corners) {
    if (!view.visible(p)) return {};
    const Point q = view.at(p);
    if (std::abs(q.x) > 1e4 || std::abs(q.y) > 1e4) return {};
    d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? 'M' : 'L', q.x, q.y);
  }
  return d + "Z";
}

/// Drawn from the farthest to the nearest.
struct Item {
  double body_depth, depth;
  std::string svg;
};

/// The frame of the first plane in a shape at `frame`, also where the plane is turned or one of several parts.
std::optional<Transform> find_plane(const Shape& shape, const Transform& frame) {
  if (shape.as<Plane>()) return frame;
  if (const auto* turned = shape.as<Transformed>()) return find_plane(*turned->shape, frame * turned->transform);
  if (const auto* composite = shape.as<Composite>())
    for (const Composite::Part& part : composite->parts)
      if (const auto found = find_plane(*part.shape, frame * part.transform)) return found;
  return std::nullopt;
}

class Painter {
 public:
  Painter(const Camera& camera, const Vec3& up)
      : view_(camera),
        up_(up),
        light_(normalized(up + 0.45 * normalized(camera.eye - camera.target) +
                          0.35 * normalized(cross(camera.target - camera.eye, up)))) {}

  void ground(const Transform& frame, const Camera& camera) {
    ground_ = frame, has_ground_ = true;
    const Vec3 normal = rotate(frame.rotation, {0, 1, 0});
    const Vec3 middle = camera.target - dot(camera.target - frame.translation, normal) * normal;
    const double reach = length(camera.eye - camera.target), cell = std::pow(10, std::round(std::log10(0.12 * reach)));
    const Vec3 u = rotate(frame.rotation, {1, 0, 0}), v = rotate(frame.rotation, {0, 0, 1});
    const auto snapped = [&](double a) { return std::round(a / cell) * cell; };
    const Vec3 origin = frame.translation + snapped(dot(middle - frame.translation, u)) * u +
                        snapped(dot(middle - frame.translation, v)) * v;
    constexpr int kLines = 16;
    std::string d;
    for (int i = -kLines; i <= kLines; ++i)
      for (const bool along_u : {true, false})
        d += grid_line(origin + i * cell * (along_u ? v : u), along_u ? u : v, kLines * cell);
    grid_ = fmt::format("<path d=\"{}\" class=\"g\"/>", d);
  }

  /// Parts have the colour that their material names, or else `usual`.
  void body(const BodyDef& def, const Transform& frame, const Rgb& usual) {
    ShapeLook look;
    add_look(*def.shape, frame, look);
    const double body_depth = view_.depth(frame.translation);
    const auto color = [&](const Material* own) {
      const std::optional<Vec3> given = color_in_name(own ? *own : def.material);
      return given ? Rgb{given->x, given->y, given->z} : usual;
    };
    for (const Face& face : look.faces) paint(face, color(face.material), body_depth);
    for (const RoundPart& part : look.rounds) paint(part, color(part.material), body_depth);
  }

  std::string svg() {
    // Whole bodies are sorted by their centers, the faces of one by their own.
    std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
      return a.body_depth != b.body_depth ? a.body_depth > b.body_depth : a.depth > b.depth;
    });
    const std::size_t skipped = items_.size() > kMostItems ? items_.size() - kMostItems : 0;
    std::string out = fmt::format("<svg class=\"still\" viewBox=\"0 0 {} {}\" role=\"img\">", kWidth, kHeight);
    out += grid_;
    if (!shadows_.empty()) out += fmt::format("<g class=\"s\"><path d=\"{}\"/>{}</g>", shadows_, round_shadows_);
    for (std::size_t i = skipped; i < items_.size(); ++i) out += items_[i].svg;
    return out + "</svg>";
  }

 private:
  std::string grid_line(const Vec3& middle, const Vec3& direction, double half) const {
    std::string d;
    constexpr int kPieces = 8;  // clips a line that ends behind the eye
    for (int k = 0; k < kPieces; ++k) {
      const Vec3 a = middle + (2.0 * k / kPieces - 1) * half * direction,
                 b = middle + (2.0 * (k + 1) / kPieces - 1) * half * direction;
      if (!view_.visible(a) || !view_.visible(b)) continue;
      const Point p = view_.at(a), q = view_.at(b);
      if (std::max(std::abs(p.x) + std::abs(p.y), std::abs(q.x) + std::abs(q.y)) > 1e4) continue;
      d += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", p.x, p.y, q.x, q.y);
    }
    return d;
  }

  Vec3 on_ground(const Vec3& p) const {
    const Vec3 n = rotate(ground_.rotation, {0, 1, 0});
    const double height = dot(p - ground_.translation, n), fall = dot(light_, n);
    return p - (height / std::max(0.2, fall)) * light_;
  }

  void paint(const Face& face, const Rgb& color, double body_depth) {
    Vec3 middle, normal;
    const std::size_t n = face.corners.size();
    for (std::size_t i = 0; i < n; ++i) {
      middle += face.corners[i] / static_cast<double>(n);
      normal += cross(face.corners[i] - face.corners[0], face.corners[(i + 1) % n] - face.corners[0]);
    }
    if (has_ground_) {
      std::vector<Vec3> shadow = face.corners;
      for (Vec3& p : shadow) p = on_ground(p);
      if (dot(normal, light_) > 0 || face.two_sided) shadows_ += path_of(view_, shadow);
    }
    if (length(normal) == 0) return;
    normal = normalized(normal);
    if (dot(normal, view_.eye() - middle) <= 0) {
      if (!face.two_sided) return;
      normal = -normal;
    }
    const std::string d = path_of(view_, face.corners);
    if (d.empty()) return;
    const double light = 0.62 + 0.5 * std::max(0.0, dot(normal, light_));
    items_.push_back(
        {body_depth, view_.depth(middle),
         fmt::format("<path d=\"{}\" fill=\"{}\" stroke=\"{}\"/>", d, text(color, light), text(color, 0.55 * light))});
  }

  void paint(const RoundPart& part, const Rgb& color, double body_depth) {
    if (!view_.visible(part.a) || !view_.visible(part.b)) return;
    const Vec3 middle = 0.5 * (part.a + part.b);
    const auto stroke = [&](const Vec3& a, const Vec3& b, double width, const std::string& look) {
      const Point p = view_.at(a), q = view_.at(b);
      return fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke-width=\"{:.1f}\" class=\"r\"{}/>", p.x, p.y,
                         q.x, q.y + (a == b ? 0.01 : 0), width, look);
    };
    const double width = 2 * part.radius * view_.scale(middle);
    const auto layer = [&](double shrink, double light) {
      const Vec3 shift = (1 - shrink) * 0.6 * part.radius * light_;
      return stroke(part.a + shift, part.b + shift, shrink * width, fmt::format(" stroke=\"{}\"", text(color, light)));
    };
    items_.push_back({body_depth, view_.depth(middle), layer(1, 0.62) + layer(0.88, 0.85) + layer(0.55, 1.05)});
    if (has_ground_ && view_.visible(on_ground(part.a)) && view_.visible(on_ground(part.b)))
      round_shadows_ += stroke(on_ground(part.a), on_ground(part.b), 0.8 * width, " stroke=\"#000\"");
  }

  View view_;
  Vec3 up_, light_;
  Transform ground_;
  bool has_ground_ = false;
  std::string grid_, shadows_, round_shadows_;
  std::vector<Item> items_;
};

/// Grows to hold other boxes and points.
class Extent {
 public:
  void add(const Aabb& b) {
    for (int k = 0; k < 3; ++k) {
      box_.lower[k] = empty_ ? b.lower[k] : std::min(box_.lower[k], b.lower[k]);
      box_.upper[k] = empty_ ? b.upper[k] : std::max(box_.upper[k], b.upper[k]);
    }
    empty_ = false;
  }
  Aabb box() const { return empty_ ? Aabb{{-1, -1, -1}, {1, 1, 1}} : box_; }

 private:
  Aabb box_;
  bool empty_ = true;
};

/// The region of the bodies, without the few outermost ones.
Aabb extent_of(const Scene& scene, std::span<const std::vector<BodyPose>> poses) {
  const World& world = scene.world;
  const std::vector<BodyId> moving = moving_bodies(world);
  const auto bounds_of = [&](BodyId id, const BodyPose& pose) {
    return world_bounds(*world.body_def(id).shape, {pose.position, normalized(pose.orientation)});
  };
  std::vector<Aabb> boxes;
  std::vector<double> lower[3], upper[3];
  for (const std::vector<BodyPose>& instant : poses)
    for (std::size_t i = 0; i < instant.size() && i < moving.size(); ++i) {
      const Aabb b = bounds_of(moving[i], instant[i]);
      boxes.push_back(b);
      for (int k = 0; k < 3; ++k) lower[k].push_back(b.lower[k]), upper[k].push_back(b.upper[k]);
    }
  Extent extent;
  if (!lower[0].empty()) {
    Aabb most;
    for (int k = 0; k < 3; ++k) most.lower[k] = quantile(lower[k], kCut), most.upper[k] = quantile(upper[k], 1 - kCut);
    extent.add(most);
    // If there are few bodies all are shown, unless one has left for good.
    const double reach = kReach * length(most.upper - most.lower);
    for (const Aabb& b : boxes) {
      if (moving.size() >= kFewBodies) break;
      bool near = true;
      for (int k = 0; k < 3; ++k)
        near = near && b.lower[k] > most.lower[k] - reach && b.upper[k] < most.upper[k] + reach;
      if (near) extent.add(b);
    }
  }
  for (const BodyId id : world.bodies()) {
    const ShapePtr& shape = world.body_def(id).shape;
    const bool still = std::find(moving.begin(), moving.end(), id) == moving.end();
    if (!still || !shape || !std::isfinite(shape->bounding_radius()) || id == world.world_body()) continue;
    const Aabb b = bounds_of(id, {world.position(id), world.orientation(id)});
    // Large walls and floors do not count: the moving bodies define the region.
    if (lower[0].empty() || length(b.upper - b.lower) < 2 * length(extent.box().upper - extent.box().lower))
      extent.add(b);
  }
  return extent.box();
}

}  // namespace

Camera fitting_camera(const Scene& scene, std::span<const std::vector<BodyPose>> poses) {
  const Vec3 up = up_of(scene.world);
  const Aabb box = extent_of(scene, poses);
  const Vec3 size = box.upper - box.lower;
  // Across the longer of the two horizontal extents, a little from the side and from above.
  const Vec3 z{0, 0, 1}, x{1, 0, 0}, y{0, 1, 0};
  const Vec3 a = std::abs(up.y) > 0.7 ? x : y, b = std::abs(up.z) > 0.7 ? x : z;
  const bool along_a = std::abs(dot(size, a)) >= std::abs(dot(size, b));
  const Vec3 front = along_a ? b : a, side = along_a ? a : b;
  const Vec3 direction = normalized(front + 0.35 * side + 0.32 * up);
  Camera camera;
  camera.up = up;
  camera.target = 0.5 * (box.lower + box.upper);
  // All eight corners inside a frame of nine tenths.
  const Vec3 forward = -direction, right = normalized(cross(forward, up)), above = cross(right, forward);
  double distance = 1e-3;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 p;
    for (int k = 0; k < 3; ++k) p[k] = ((corner >> k) & 1 ? 0.5 : -0.5) * size[k];
    const double wide = std::abs(dot(p, right)) * kFocal * kHeight / (0.96 * kWidth);
    const double high = std::abs(dot(p, above)) * kFocal / 0.9;
    distance = std::max(distance, std::max(wide, high) - dot(p, forward));
  }
  camera.eye = camera.target + distance * direction;
  return camera;
}

std::string render_still(const Scene& scene, std::span<const BodyPose> poses, const Camera& camera) {
  const World& world = scene.world;
  Painter painter(camera, camera.up);
  const std::vector<BodyId> moving = moving_bodies(world);
  std::size_t color = 0;
  for (const BodyId id : world.bodies()) {
    const BodyDef& def = world.body_def(id);
    const ShapePtr& shape = def.shape;
    if (!shape || !world.is_active(id) || id == world.world_body()) continue;
    const auto found = std::find(moving.begin(), moving.end(), id);
    if (found != moving.end()) {
      const BodyPose& pose = poses[static_cast<std::size_t>(found - moving.begin())];
      painter.body(def, {pose.position, normalized(pose.orientation)}, kColors[color++ % std::size(kColors)]);
    } else {
      const Transform frame{world.position(id), world.orientation(id)};
      if (const auto plane = find_plane(*shape, frame)) painter.ground(*plane, camera);
      if (!shape->as<Plane>()) painter.body(def, frame, kFixedColor);
    }
  }
  return painter.svg();
}

std::string_view still_style() {
  return R"(.still path:not(.r) { stroke-width: 0.6; stroke-linejoin: round; }
.still .g { stroke: #d5dae2; fill: none; stroke-width: 0.7; }
.still .s { opacity: 0.13; } .still .s path { fill: #000; }
.still .r { fill: none; stroke-linecap: round; }
)";
}

}  // namespace rigor
