// Bullet's collision detection behind the interface of collision_bench.h: its own algorithms through its dispatcher, with a
// persistent manifold per pair, and its dynamic-tree broad phase.
#include "lab/collision_bench.h"

#ifdef RIGOR_HAVE_BULLET

#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>
#include <btBulletCollisionCommon.h>

#include "lab/cpu_clock.h"
#include "lab/peers/bullet_shapes.h"

namespace rigor {

namespace {

/// A Bullet shape and the data that it refers to.
struct PeerShape {
  std::vector<float> heights;
  std::unique_ptr<btTriangleMesh> triangles;
  std::unique_ptr<btCollisionShape> shape;
};

std::unique_ptr<btCollisionShape> convex_shape(const Shape& s) {
  if (auto simple = simple_bullet_shape(s)) return simple;
  auto hull = std::make_unique<btConvexHullShape>();
  if (const Hull* h = s.as<Hull>())
    for (const Vec3& v : h->vertices) hull->addPoint(to_bullet(v), false);
  hull->recalcLocalAabb();
  return hull;
}

PeerShape peer_shape(const Shape& s) {
  PeerShape p;
  if (const Mesh* m = s.as<Mesh>()) {
    p.triangles = std::make_unique<btTriangleMesh>();
    for (const auto& t : m->triangles)
      p.triangles->addTriangle(to_bullet(m->vertices[static_cast<std::size_t>(t[0])]),
                               to_bullet(m->vertices[static_cast<std::size_t>(t[1])]),
                               to_bullet(m->vertices[static_cast<std::size_t>(t[2])]));
    p.shape = std::make_unique<btBvhTriangleMeshShape>(p.triangles.get(), true);
  } else if (const HeightField* h = s.as<HeightField>()) {
    double top = 0;
    for (double v : h->heights) top = std::max(top, std::abs(v));
    for (double v : h->heights) p.heights.push_back(static_cast<float>(v));
    p.shape = std::make_unique<btHeightfieldTerrainShape>(h->columns, h->rows, p.heights.data(), to_bullet(1),
                                                          to_bullet(-top), to_bullet(top), 1, PHY_FLOAT, false);
    p.shape->setLocalScaling({to_bullet(h->spacing_x), to_bullet(1), to_bullet(h->spacing_z)});
  } else {
    p.shape = convex_shape(s);
  }
  // The margin inflates a hull; the default of 4 cm would change the shape.
  if (s.as<Hull>()) p.shape->setMargin(to_bullet(0.01));
  return p;
}

/// Bullet's cache for one pair.
struct KeptPair {
  btCollisionObject a, b;
  btCollisionAlgorithm* algorithm = nullptr;
};

class BulletEngine final : public CollisionEngine {
 public:
  Timing run(const PairBenchmark& bench) override {
    const PeerShape shape_a = peer_shape(*bench.a), shape_b = peer_shape(*bench.b);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDispatcherInfo info;
    std::vector<KeptPair> kept(bench.pairs);
    for (KeptPair& p : kept) make_pair(p, shape_a, shape_b, dispatcher);

    Timing timing;
    const double start = thread_seconds();
    for (std::size_t i = 0; i < bench.pairs * bench.frames; ++i) {
      KeptPair& p = kept[i % bench.pairs];
      p.a.setWorldTransform(to_bullet(bench.pose_a[i]));
      p.b.setWorldTransform(to_bullet(bench.pose_b[i]));
      const btCollisionObjectWrapper wa(nullptr, p.a.getCollisionShape(), &p.a, p.a.getWorldTransform(), -1, -1);
      const btCollisionObjectWrapper wb(nullptr, p.b.getCollisionShape(), &p.b, p.b.getWorldTransform(), -1, -1);
      btManifoldResult result(&wa, &wb);
      p.algorithm->processCollision(&wa, &wb, info, &result);
      timing.found += contacts(p);
    }
    timing.seconds = thread_seconds() - start;
    for (KeptPair& p : kept) free_pair(p, dispatcher);
    return timing;
  }

  Timing run(const BroadphaseBenchmark& bench) override {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase tree;
    std::vector<btBroadphaseProxy*> proxies;
    for (std::size_t k = 0; k < bench.bodies; ++k)
      proxies.push_back(tree.createProxy(to_bullet(bench.boxes[k].lower), to_bullet(bench.boxes[k].upper),
                                         BOX_SHAPE_PROXYTYPE, nullptr, 1, -1, &dispatcher));
    tree.calculateOverlappingPairs(&dispatcher);
    Timing timing;
    const double start = thread_seconds();
    for (std::size_t frame = 1; frame < bench.frames; ++frame) {
      for (std::size_t k = 0; k < bench.bodies; ++k) {
        const Aabb& box = bench.boxes[frame * bench.bodies + k];
        tree.setAabb(proxies[k], to_bullet(box.lower), to_bullet(box.upper), &dispatcher);
      }
      tree.calculateOverlappingPairs(&dispatcher);
      timing.found += static_cast<std::size_t>(tree.getOverlappingPairCache()->getNumOverlappingPairs());
    }
    timing.seconds = thread_seconds() - start;
    for (btBroadphaseProxy* p : proxies) tree.destroyProxy(p, &dispatcher);
    return timing;
  }

 private:
  static void make_pair(KeptPair& p, const PeerShape& a, const PeerShape& b, btCollisionDispatcher& dispatcher) {
    p.a.setCollisionShape(a.shape.get());
    p.b.setCollisionShape(b.shape.get());
    const btCollisionObjectWrapper wa(nullptr, a.shape.get(), &p.a, p.a.getWorldTransform(), -1, -1);
    const btCollisionObjectWrapper wb(nullptr, b.shape.get(), &p.b, p.b.getWorldTransform(), -1, -1);
    p.algorithm = dispatcher.findAlgorithm(&wa, &wb, nullptr, BT_CONTACT_POINT_ALGORITHMS);
  }

  static std::size_t contacts(KeptPair& p) {
    btManifoldArray manifolds;
    p.algorithm->getAllContactManifolds(manifolds);
    std::size_t count = 0;
    for (int i = 0; i < manifolds.size(); ++i) count += static_cast<std::size_t>(manifolds[i]->getNumContacts());
    return count;
  }

  static void free_pair(KeptPair& p, btCollisionDispatcher& dispatcher) {
    p.algorithm->~btCollisionAlgorithm();
    dispatcher.freeCollisionAlgorithm(p.algorithm);
  }
};

}  // namespace

std::unique_ptr<CollisionEngine> bullet_collision_engine() { return std::make_unique<BulletEngine>(); }

}  // namespace rigor

#else

namespace rigor {

std::unique_ptr<CollisionEngine> bullet_collision_engine() { return nullptr; }

}  // namespace rigor

#endif
