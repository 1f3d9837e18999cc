// Broad and narrow phases of extensions.
#include <algorithm>
#include <cmath>

#include "broadphase/broadphase.h"
#include "extend/adapters.h"
#include "narrowphase/narrowphase.h"
#include "registry/extension_call.h"
#include "rigor/extend/broadphase.h"
#include "rigor/extend/narrowphase.h"

namespace rigor {

namespace {

class BroadphaseAdapter final : public Broadphase {
 public:
  explicit BroadphaseAdapter(const Extension& extension)
      : name_(extension.name), extension_(extension.instance<extend::Broadphase>()) {}

  void fields(FieldVisitor& v) override { visit_extension(Kind::broadphase, name_, *extension_, v); }

  void find_pairs(std::span<const ProxyBounds> proxies, std::vector<ProxyPair>& pairs) override {
    pairs.clear();
    call_extension(Kind::broadphase, name_, [&] { extension_->find_pairs(proxies, pairs); });
    const auto is_pair = [&](const ProxyPair& p) {
      return p.a < p.b && p.b < proxies.size() && takes_part(proxies[p.a]) && takes_part(proxies[p.b]) &&
             (proxies[p.a].moves || proxies[p.b].moves);
    };
    if (!std::all_of(pairs.begin(), pairs.end(), is_pair) ||
        std::adjacent_find(pairs.begin(), pairs.end(), std::greater_equal<>()) != pairs.end())
      throw ExtensionFailure(extension_name(Kind::broadphase, name_),
                             "its pairs are not sorted, or one of them is of bodies that cannot collide");
    proxies_.assign(proxies.begin(), proxies.end());
  }
  void query(const Aabb& box, std::vector<std::uint32_t>& found) const override {
    found.clear();
    for (std::uint32_t i = 0; i < proxies_.size(); ++i)
      if (takes_part(proxies_[i]) && overlap(proxies_[i].box, box)) found.push_back(i);
  }

 private:
  std::string name_;
  std::unique_ptr<extend::Broadphase> extension_;
  std::vector<ProxyBounds> proxies_;  // of the last find_pairs()
};

class NarrowphaseAdapter final : public Narrowphase {
 public:
  explicit NarrowphaseAdapter(const Extension& extension)
      : name_(extension.name), extension_(extension.instance<extend::Narrowphase>()) {}

  void fields(FieldVisitor& v) override { visit_extension(Kind::narrowphase, name_, *extension_, v); }

  void collide(std::span<PairTask> tasks) const override {
    for (PairTask& t : tasks) {
      const std::size_t before = t.manifolds.size();
      const bool done = call_extension(Kind::narrowphase, name_,
                                       [&] { return extension_->collide(*t.a, *t.b, t.query, t.manifolds); });
      if (!done) {
        t.manifolds.resize(before);
        collide_shapes(*t.a, *t.b, t.query, PairMode::special, t.cache, t.manifolds);
        continue;
      }
      for (std::size_t i = before; i < t.manifolds.size(); ++i) check(t.manifolds[i]);
    }
  }

 private:
  void check(const Manifold& m) const {
    bool good = m.count > 0 && m.count <= kMaxManifoldPoints && std::abs(length_squared(m.normal) - 1) < 1e-6;
    for (int i = 0; good && i < m.count; ++i) {
      const ManifoldPoint& p = m.points[static_cast<std::size_t>(i)];
      good = is_finite(p.on_a) && is_finite(p.on_b) && std::isfinite(p.separation);
    }
    if (!good)
      throw ExtensionFailure(extension_name(Kind::narrowphase, name_),
                             "a manifold needs one to four finite points and a unit normal");
  }

  std::string name_;
  std::unique_ptr<extend::Narrowphase> extension_;
};

}  // namespace

std::unique_ptr<Configurable> adapt_broadphase(const Extension& extension) {
  return std::make_unique<BroadphaseAdapter>(extension);
}
std::unique_ptr<Configurable> adapt_narrowphase(const Extension& extension) {
  return std::make_unique<NarrowphaseAdapter>(extension);
}

}  // namespace rigor
