// Queries about the shapes of a world: ray casts, overlaps, distances and times of impact.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rigor/ids.h"
#include "rigor/math.h"
#include "rigor/shape.h"

namespace rigor {

class World;
struct Contact;
struct Method;

/// Which bodies a query considers: active ones that can collide, in these groups, that `accept` (if set) accepts.
struct QueryFilter {
  std::uint32_t groups = 0xffffffffu;
  std::function<bool(BodyId)> accept;
  bool sensors = false;  // includes sensors
};

struct CastHit {
  BodyId body;
  double fraction = 0;  // of the displacement, 0..1
  Vec3 point, normal;   // world; the normal points out of the body that was hit
};

struct ClosestPoints {
  double distance = 0;  // m; negative: the depth, of the deepest contact where there are several
  Vec3 on_a, on_b;      // world
  Vec3 normal;          // unit, from a to b; zero where there is none
};

struct FirstContact {
  double time = 0;     // s from now
  Vec3 point, normal;  // world; from a to b
};

/// A copy of the bodies' present poses. It does not follow the world: make one per step and query it as often as needed, or use
/// Simulation::queries(), which keeps one up to date.
class Queries {
 public:
  explicit Queries(const World& world);
  /// Updates the copy, reusing its memory.
  void update(const World& world);
  ~Queries();
  Queries(Queries&&) noexcept;
  Queries& operator=(Queries&&) noexcept;

  /// The first body on the path; a ray that starts inside a body hits it at fraction 0.
  std::optional<CastHit> ray_cast(const Vec3& origin, const Vec3& displacement, const QueryFilter& filter = {}) const;
  /// Every body on the path, nearest first, each once.
  std::vector<CastHit> ray_cast_all(const Vec3& origin, const Vec3& displacement, const QueryFilter& filter = {}) const;
  /// Moves a shape without turning it until it meets a body. The shape is convex, or made of convex parts.
  std::optional<CastHit> shape_cast(const Shape& shape, const Transform& pose, const Vec3& displacement,
                                    const QueryFilter& filter = {}) const;
  /// Bodies that a shape touches, by ascending id index.
  std::vector<BodyId> overlap(const Shape& shape, const Transform& pose, const QueryFilter& filter = {}) const;
  /// Bodies whose bounding boxes touch a box.
  std::vector<BodyId> overlap(const Aabb& box, const QueryFilter& filter = {}) const;
  ClosestPoints closest_points(BodyId a, BodyId b) const;
  /// When two bodies that keep their present velocities first come within `tolerance` metres, by conservative advancement.
  std::optional<FirstContact> first_contact(BodyId a, BodyId b, double within, double tolerance = 1e-4) const;

 private:
  struct Picture;
  const Picture& picture() const;
  std::unique_ptr<Picture> picture_;
};

/// One sentence for each pair of bodies whose groups and masks let them collide but that never do, because both are triangle
/// meshes or height fields; ten at most, and how many more there are.
std::vector<std::string> never_meet(const World& world);
/// One sentence for each joint that cannot be closed, because fixed joints or bodies that cannot move hold its bodies elsewhere; ten
/// at most, and how many more there are.
std::vector<std::string> contradicting_joints(const World& world);
/// One sentence for each joint whose anchor is more than a thousand radii away from one of its bodies; ten at most, and how many more.
std::vector<std::string> far_anchors(const World& world);
/// A sentence if the method does not solve the world's joints, and one if it does not solve contacts of bodies that may collide: its step needs
/// solvers for them, and it has none. A simulation reports the same when it occurs.
std::vector<std::string> missing_solvers(const World& world, const Method& method);

/// What kind of surface a body has at a contact point; `round` is a sphere, the side of a capsule, or a rim.
enum class SurfaceKind : std::uint8_t { face, edge, vertex, round };
struct MeetingFeatures {
  SurfaceKind a, b;
};
/// The kinds of surface that meet at point number `point` of a contact. Error unless the contact belongs to this world
/// and has that point.
MeetingFeatures meeting_features(const World& world, const Contact& contact, int point);

/// A feature that a world may need besides contacts and joints.
struct Feature {
  std::string_view name;         // "static-friction"
  std::string_view description;  // "friction that is larger at rest than in motion"
};
std::span<const Feature> features();
/// True if a method simulates a feature, according to the declarations of its parts. Error for an unknown name.
bool honours(const Method& method, std::string_view feature);
/// Why a method does not simulate a feature: a sentence that names the part of the method. Empty if it does.
std::string why_not_honoured(const Method& method, std::string_view feature);
/// One sentence for each feature that the world has and the method does not simulate. A simulation reports them when it
/// is made and when its method changes.
std::vector<std::string> features_not_honoured(const World& world, const Method& method);

}  // namespace rigor
