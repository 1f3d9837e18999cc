// Broad phases on 20 000 boxes, each overlapping six to eight others, that move like a settled pile which is stirred: 5
// % of their size per step, in directions that change every few steps. Bullet's dynamic tree runs on the same boxes.
//
// Only the broad phase is timed. `versus_bullet` times both methods in turn in every step, because two separate runs on
// a busy machine are not comparable, and reports the ratio of the sums and of the medians.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "broadphase/broadphase.h"
#include "io/random.h"
#include "registry/entry.h"
#if RIGOR_HAVE_BULLET
#include <btBulletCollisionCommon.h>
#endif

namespace rigor {

Entry register_brute_force();
Entry register_sweep_and_prune();
Entry register_aabb_tree();

namespace {

/// Boxes in a cube that they fill at a fixed density; `moving` of them (0…1) move, the others rest.
class BoxCloud {
 public:
  BoxCloud(int count, double moving, bool others_asleep) : random_(1) {
    side_ = std::cbrt(count * 1.05);  // about seven overlaps per box of mean size 1
    for (int i = 0; i < count; ++i) {
      const Vec3 p = random_.symmetric_vector(side_ / 2);
      const double half = 0.375 + 0.25 * random_.uniform();
      const bool moves = random_.uniform() < moving;
      proxies.push_back({{p - Vec3{half, half, half}, p + Vec3{half, half, half}}, moves || !others_asleep, true});
      velocity_.push_back(moves ? new_velocity(half) : Vec3{});
      moves_.push_back(moves);
    }
  }

  void step() {
    for (std::size_t i = 0; i < proxies.size(); ++i) {
      if (!moves_[i]) continue;
      Aabb& box = proxies[i].box;
      Vec3& v = velocity_[i];
      if (random_.uniform() < 0.1) v = new_velocity(0.5 * (box.upper.x - box.lower.x));
      for (int k = 0; k < 3; ++k)
        if (0.5 * std::abs(box.lower[k] + box.upper[k]) > side_ / 2) v[k] = std::copysign(v[k], -box.lower[k]);
      box.lower += v, box.upper += v;
    }
  }

  bool moved(std::size_t i) const { return moves_[i]; }

  std::vector<ProxyBounds> proxies;

 private:
  /// 5 % of the size, in a random direction.
  Vec3 new_velocity(double half) {
    for (;;) {
      const Vec3 v = random_.symmetric_vector(1);
      if (length_squared(v) > 0.01 && length_squared(v) < 1) return normalized(v) * (0.05 * 2 * half);
    }
  }

  Random random_;
  double side_;
  std::vector<Vec3> velocity_;
  std::vector<bool> moves_;
};

/// Processor time, which a busy machine disturbs less than wall-clock time.
double seconds_of(auto&& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

using Make = Entry (*)();

std::unique_ptr<Broadphase> make(Make register_method) {
  return std::unique_ptr<Broadphase>(static_cast<Broadphase*>(register_method().make().release()));
}

void run(benchmark::State& state, Make register_method, int count, double moving, bool others_asleep) {
  BoxCloud cloud(count, moving, others_asleep);
  const auto method = make(register_method);
  std::vector<ProxyPair> pairs;
  method->find_pairs(cloud.proxies, pairs);
  for (auto _ : state) {
    cloud.step();
    state.SetIterationTime(seconds_of([&] { method->find_pairs(cloud.proxies, pairs); }));
  }
  state.counters["pairs"] = static_cast<double>(pairs.size());
}

void query(benchmark::State& state, Make register_method, int count) {
  BoxCloud cloud(count, 1, false);
  const auto method = make(register_method);
  std::vector<ProxyPair> pairs;
  std::vector<std::uint32_t> found;
  for (int i = 0; i < 20; ++i) cloud.step(), method->find_pairs(cloud.proxies, pairs);
  std::size_t i = 0;
  for (auto _ : state) {
    method->query(cloud.proxies[i++ % cloud.proxies.size()].box, found);
    benchmark::DoNotOptimize(found.data());
  }
}

#if RIGOR_HAVE_BULLET

btVector3 bullet(const Vec3& v) {
  return {static_cast<btScalar>(v.x), static_cast<btScalar>(v.y), static_cast<btScalar>(v.z)};
}

/// Bullet's dynamic tree, used as its collision world does: setAabb() for the objects that are active, then the pairs.
class BulletTree {
 public:
  explicit BulletTree(const BoxCloud& cloud) : cloud_(cloud) {
    for (const ProxyBounds& p : cloud.proxies)
      proxies_.push_back(broadphase_.createProxy(bullet(p.box.lower), bullet(p.box.upper), BOX_SHAPE_PROXYTYPE,
                                                 &proxies_, 1, 1, nullptr));
    broadphase_.calculateOverlappingPairs(nullptr);
  }
  ~BulletTree() {
    for (btBroadphaseProxy* p : proxies_) broadphase_.destroyProxy(p, nullptr);
  }
  void find_pairs(bool all) {
    for (std::size_t i = 0; i < proxies_.size(); ++i) {
      if (!all && !cloud_.moved(i)) continue;
      const Aabb& box = cloud_.proxies[i].box;
      broadphase_.setAabb(proxies_[i], bullet(box.lower), bullet(box.upper), nullptr);
    }
    broadphase_.calculateOverlappingPairs(nullptr);
  }
  int pairs() { return broadphase_.getOverlappingPairCache()->getNumOverlappingPairs(); }

 private:
  const BoxCloud& cloud_;
  btDbvtBroadphase broadphase_;
  std::vector<btBroadphaseProxy*> proxies_;
};

double median(std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// Both in turn on the same step, the first one alternating. `all`: Bullet also updates resting boxes.
void versus_bullet(benchmark::State& state, Make register_method, int count, double moving, bool others_asleep,
                   bool all) {
  BoxCloud cloud(count, moving, others_asleep);
  const auto method = make(register_method);
  BulletTree peer(cloud);
  std::vector<ProxyPair> pairs;
  method->find_pairs(cloud.proxies, pairs);
  std::vector<double> ours, theirs;
  const auto time_ours = [&] { ours.push_back(seconds_of([&] { method->find_pairs(cloud.proxies, pairs); })); };
  const auto time_theirs = [&] { theirs.push_back(seconds_of([&] { peer.find_pairs(all); })); };
  for (auto _ : state) {
    cloud.step();
    if (ours.size() % 2 == 0)
      time_ours(), time_theirs();
    else
      time_theirs(), time_ours();
    state.SetIterationTime(ours.back());
  }
  double our_sum = 0, their_sum = 0;
  for (const double t : ours) our_sum += t;
  for (const double t : theirs) their_sum += t;
  state.counters["pairs"] = static_cast<double>(pairs.size());
  state.counters["bullet_pairs"] = peer.pairs();
  state.counters["ratio_of_sums"] = their_sum / our_sum;
  const double our_median = median(ours), their_median = median(theirs);
  state.counters["ms"] = 1e3 * our_median;
  state.counters["bullet_ms"] = 1e3 * their_median;
  state.counters["ratio_of_medians"] = their_median / our_median;
}

#endif

const int registered = [] {
  struct Named {
    const char* name;
    Make make;
    int iterations;
  };
  const Named methods[] = {{"aabb-tree", register_aabb_tree, 300},
                           {"sweep-and-prune", register_sweep_and_prune, 20},
                           {"brute-force", register_brute_force, 3}};
  const auto add = [](const std::string& name, int iterations, auto body) {
    benchmark::RegisterBenchmark(("broadphase/" + name).c_str(), body)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(iterations);
  };
  for (const auto& [name, make, iterations] : methods) {
    add(std::string(name) + "/20000-moving", iterations,
        [make = make](benchmark::State& s) { run(s, make, 20000, 1, false); });
    add(std::string(name) + "/20000-of-which-5%-move", iterations,
        [make = make](benchmark::State& s) { run(s, make, 20000, 0.05, true); });
    add(std::string(name) + "/1000-moving", 10 * iterations,
        [make = make](benchmark::State& s) { run(s, make, 1000, 1, false); });
    benchmark::RegisterBenchmark(("broadphase/" + std::string(name) + "/query-of-20000").c_str(),
                                 [make = make](benchmark::State& s) { query(s, make, 20000); });
  }
#if RIGOR_HAVE_BULLET
  add("versus-bullet/20000-moving", 300,
      [](benchmark::State& s) { versus_bullet(s, register_aabb_tree, 20000, 1, false, true); });
  add("versus-bullet/20000-of-which-5%-move/others-asleep/bullet-told-of-moved", 300,
      [](benchmark::State& s) { versus_bullet(s, register_aabb_tree, 20000, 0.05, true, false); });
  add("versus-bullet/20000-of-which-5%-move/others-awake/bullet-told-of-moved", 300,
      [](benchmark::State& s) { versus_bullet(s, register_aabb_tree, 20000, 0.05, false, false); });
  add("versus-bullet/20000-of-which-5%-move/others-awake/bullet-told-of-all", 300,
      [](benchmark::State& s) { versus_bullet(s, register_aabb_tree, 20000, 0.05, false, true); });
#endif
  return 0;
}();

}  // namespace
}  // namespace rigor
