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

/// How far to look for points: m apart, and s ahead.
struct SearchRange {
  double envelope = 0, ahead = 0;
};

class ContactProxies {
 public:
  /// What the search has to know of a body besides its bounds and its frame.
  struct Body {
    const Shape* shape = nullptr;
    const PartIndex* parts = nullptr;   // of composites
    std::uint32_t material = kUnknown;  // in materials_
    std::uint32_t slot = 0, generation = 0;
    std::uint32_t shape_changes = kUnknown;  // of the world, when the body was last seen
    bool is_reshaped = false;                // it has got another shape since then
    double reach = 0;                        // m, how far it may move in the time ahead
    bool is_joined = false;                  // its joints close loops
  };

  /// Computes everything at the present state. What was derived from definitions is reused if they are those of the last call.
  void update(const World& world, const SearchRange& range, const ThreadPool& threads, bool same_definitions);
  /// Poses, shapes and materials may all be different ones.
  void clear();

  const std::vector<ProxyBounds>& bounds() const { return bounds_; }
  /// The collision shape in the world.
  const Transform& frame(std::uint32_t index) const { return frames_[index]; }
  const Body& operator[](std::uint32_t index) const { return bodies_[index]; }

  /// True if the shape of a known body has changed since the last update.
  bool is_reshaped(const World& world, BodyId id) const;
  /// m: how far apart points of two bodies are to be found.
  double reach(const BodyState& state, const ProxyPair& pair, const SearchRange& range) const;
  /// Writes how the surfaces of a contact rub and bounce, by the materials.
  void combine_surfaces(const World& world, Contact& c) const;

 private:
  /// What a body's frame and bounds were computed from.
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

  std::vector<ProxyBounds> bounds_;
  std::vector<Transform> frames_;
  std::vector<Source> sources_;
  std::vector<Body> bodies_;
  std::vector<Material> materials_;  // of bodies, each once or nearly so
  double envelope_ = 0;              // m, that the bounds were widened by
};

}  // namespace rigor
