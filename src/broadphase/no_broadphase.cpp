// No broad phase: it finds no pairs, so that nothing collides. For debugging and for scenes with joints only.
//
// The NoCollisionStrategy of Garstenauer 2006, 7.5.2. Costs nothing.
#include "broadphase/broadphase.h"
#include "registry/entry.h"

namespace rigor {

namespace {

class NoBroadphase final : public Broadphase {
 public:
  bool is_off() const override { return true; }
  void find_pairs(std::span<const ProxyBounds>, std::vector<ProxyPair>& pairs) override { pairs.clear(); }
  void query(const Aabb&, std::vector<std::uint32_t>& proxies) const override { proxies.clear(); }
};

}  // namespace

Entry register_no_broadphase() {
  return {Kind::broadphase,           "none", "finds no pairs: nothing collides", "Garstenauer 2006, 7.5.2", {},
          make_default<NoBroadphase>, {}};
}

}  // namespace rigor
