// The bodies as a search for contacts sees them: bounds for the broad phase, frames of their shapes, materials. Arrays are by id index.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "broadphase/broadphase.h"
#include "rigor/contacts.h"
#include "rigor/world.h"
#include "threads/parallel.h"

namespace rigor {

class PartIndex;

/// How far to look for contact points: within `envelope` (m), and within the time `ahead` (s).
struct SearchRange {
  double envelope = 0, ahead = 0;
};

class ContactProxies {
 public:
  /// The data of a body besides its bounds and its frame.
  struct Body {
    const Shape* shape = nullptr;
    const PartIndex* parts = nullptr;   // of composites
    std::uint32_t material = kUnknown;  // in materials_
    std::uint32_t slot = 0, generation = 0;
    std::uint32_t shape_changes = kUnknown;  // the world's counter at the last update
    bool is_reshaped = false;                // its shape has changed since then
    double reach = 0;                        // m, how far it may move in the time ahead
    bool is_joined = false;                  // its joints close loops
    bool has_joint = false;
    bool meets_fixed = false;  // a fixed body other than a plane is near its path; written by find_obstacles()
  };

  /// Computes everything at the present state. Data derived from definitions is reused if those are unchanged since the last call.
  void update(const World& world, const SearchRange& range, const ThreadPool& threads, bool same_definitions);
  /// Drops all cached data. Call this if poses, shapes and materials may all have changed.
  void clear();

  const std::vector<ProxyBounds>& bounds() const { return bounds_; }
  /// The collision shape in the world.
  const Transform& frame(std::uint32_t index) const { return frames_[index]; }
  const Body& operator[](std::uint32_t index) const { return bodies_[index]; }

  /// True if the shape of a known body has changed since the last update.
  bool is_reshaped(const World& world, BodyId id) const;
  /// Call it after update(), with the pairs whose bounds overlap, and before reach().
  void find_obstacles(const BodyState& state, std::span<const ProxyPair> pairs);
  /// The distance up to which contact points of two bodies are found, m.
  double reach(const BodyState& state, const ProxyPair& pair, const SearchRange& range) const;
  /// Writes friction, restitution and surface velocity of a contact, by the materials.
  void combine_surfaces(const World& world, Contact& c) const;

 private:
  /// The input from which a body's frame and bounds were computed.
  struct Source {
    Transform pose, shape_frame;
    const Shape* shape = nullptr;
    std::uint32_t shape_changes = 0;
    bool operator==(const Source&) const = default;
  };
  static constexpr std::uint32_t kUnknown = 0xffffffff;

  void update_body(const World& world, std::uint32_t slot, const SearchRange& range, bool same_definitions);
  void find_loops(const World& world);
  void share_materials(const World& world, bool same_definitions);
  double reach_ahead(const BodyState& state, const ProxyPair& pair, double ahead) const;
  double reach_of_plane(const BodyState& state, const ProxyPair& pair, double ahead) const;

  std::vector<ProxyBounds> bounds_;
  std::vector<Transform> frames_;
  std::vector<Source> sources_;
  std::vector<Body> bodies_;
  std::vector<Material> materials_;  // of bodies, with few repetitions
  double envelope_ = 0;              // m, by which the bounds are widened
};

}  // namespace rigor
