#include "broadphase/scenes.h"

namespace rigor::broadphase_test {

namespace {

void nothing(Proxies&, Random&, int) {}

/// Boxes on an integer lattice: neighbours share faces, edges or corners exactly.
void add_lattice(Proxies& proxies, int side, double offset) {
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side; ++z)
        proxies.push_back(
            {{{x + offset, y + offset, z + offset}, {x + 1 + offset, y + 1 + offset, z + 1 + offset}}, true, true});
}

void toggle_some(Proxies& proxies, Random& random, double fraction, double space, double largest) {
  for (ProxyBounds& p : proxies) {
    if (random.uniform() > fraction) continue;
    p.present = !p.present;
    if (p.present) p.box = random_box(random, space, largest), p.moves = random.uniform() < 0.7;
  }
}

void teleport_some(Proxies& proxies, Random& random, double fraction, double space) {
  for (ProxyBounds& p : proxies)
    if (random.uniform() < fraction) p.box = random_box(random, space, 2);
}

void sleep_and_wake(Proxies& proxies, Random& random, double fraction) {
  for (ProxyBounds& p : proxies)
    if (random.uniform() < fraction) p.moves = !p.moves;
}

void add_walls(Proxies& proxies, bool moving) {
  proxies.push_back({ground(-3), moving, true});
  proxies.push_back({{{5, -kInf, -kInf}, {kInf, kInf, kInf}}, false, true});
  proxies.push_back({{{-kInf, -kInf, -kInf}, {kInf, kInf, kInf}}, false, true});
}

Scene boxes(const std::string& name, int count, double space, double by) {
  return {name, [=](Proxies& p, Random& r) { add_boxes(p, r, count, space, 2); },
          [=](Proxies& p, Random& r, int) { jitter(p, r, by); }};
}

std::vector<Scene> scenes_of_motion() {
  return {
      {"empty", [](Proxies&, Random&) {}, nothing},
      boxes("one", 1, 1, 0.1),
      boxes("two", 2, 1, 0.5),
      boxes("spread", 300, 20, 0.1),
      boxes("dense", 200, 2, 0.05),
      boxes("fast", 200, 6, 2),
      boxes("far", 100, 1e6, 10),
      {"nobody moves", [](Proxies& p, Random& r) { add_boxes(p, r, 100, 3, 2); }, nothing},
      {"huge coordinates",
       [](Proxies& p, Random& r) {
         add_boxes(p, r, 200, 4, 2);
         for (ProxyBounds& q : p) shift(q.box, {1e6, -1e6, 1e6});
       },
       [](Proxies& p, Random& r, int) { jitter(p, r, 0.05); }},
      {"teleporting", [](Proxies& p, Random& r) { add_boxes(p, r, 200, 5, 2); },
       [](Proxies& p, Random& r, int step) { teleport_some(p, r, step % 4 == 0 ? 0.9 : 0.05, 5); }},
      {"exploding", [](Proxies& p, Random& r) { add_boxes(p, r, 60, 1, 1); },
       [](Proxies& p, Random&, int step) {
         // Through 1e15 m, where the tree hands them to its list, to where squares overflow.
         if (step > 40) return;
         for (std::size_t i = 0; i < p.size(); i += 2) {
           const double grow = step == 40 ? 1e150 : 4;
           p[i].box = {p[i].box.lower * grow, p[i].box.upper * grow};
         }
       }},
  };
}

std::vector<Scene> scenes_of_population() {
  return {
      {"growing", [](Proxies&, Random&) {},
       [](Proxies& p, Random& r, int) { add_boxes(p, r, 7, 4, 2), jitter(p, r, 0.05); }},
      {"shrinking", [](Proxies& p, Random& r) { add_boxes(p, r, 300, 4, 2); },
       [](Proxies& p, Random& r, int) { p.resize(p.size() - std::min<std::size_t>(p.size(), 6)), jitter(p, r, 0.05); }},
      {"removal and reuse", [](Proxies& p, Random& r) { add_boxes(p, r, 200, 4, 2); },
       [](Proxies& p, Random& r, int step) {
         toggle_some(p, r, step % 10 == 9 ? 0.8 : 0.03, 4, 2);
         jitter(p, r, 0.05);
       }},
      {"all vanish and return", [](Proxies& p, Random& r) { add_boxes(p, r, 50, 2, 2); },
       [](Proxies& p, Random&, int step) {
         for (ProxyBounds& q : p) q.present = step % 3 != 0;
       }},
      {"still ones",
       [](Proxies& p, Random& r) {
         add_boxes(p, r, 300, 5, 2);
         for (std::size_t i = 0; i < p.size(); ++i) p[i].moves = i % 4 == 0;
       },
       [](Proxies& p, Random& r, int) { jitter(p, r, 0.05); }},
      {"sleeping and waking", [](Proxies& p, Random& r) { add_boxes(p, r, 200, 4, 2); },
       [](Proxies& p, Random& r, int step) { sleep_and_wake(p, r, step % 8 == 7 ? 0.9 : 0.05), jitter(p, r, 0.05); }},
      {"a still one that moves", [](Proxies& p, Random& r) { add_boxes(p, r, 100, 4, 2), p[3].moves = false; },
       [](Proxies& p, Random& r, int) { shift(p[3].box, r.symmetric_vector(1)), jitter(p, r, 0.02); }},
  };
}

std::vector<Scene> scenes_of_shape() {
  return {
      {"planes", [](Proxies& p, Random& r) { add_walls(p, false), add_boxes(p, r, 150, 6, 2), add_walls(p, false); },
       [](Proxies& p, Random& r, int) { jitter(p, r, 0.1); }},
      {"moving planes",
       [](Proxies& p, Random& r) {
         add_boxes(p, r, 150, 6, 2), add_walls(p, true);
         for (std::size_t i = 0; i < 150; i += 3) p[i].moves = false;
       },
       [](Proxies& p, Random& r, int step) {
         p[150].box = ground(step % 2 == 0 ? -kInf : r.symmetric(5));  // now and then a plane at minus infinity
         for (std::size_t i = 0; i < 150; ++i)
           if (p[i].moves) shift(p[i].box, r.symmetric_vector(0.1));
       }},
      {"planes come and go", [](Proxies& p, Random& r) { add_boxes(p, r, 60, 4, 2), add_walls(p, false); },
       [](Proxies& p, Random& r, int step) {
         p[60].present = step % 3 == 0;
         p[61].box = step % 2 == 0 ? ground(0) : random_box(r, 4, 2);
         p[5].box = step % 5 == 0 ? ground(1) : random_box(r, 4, 2);
       }},
      {"all coincident",
       [](Proxies& p, Random&) {
         p.assign(60, {cube({1, 2, 3}, 0.5), true, true});
       },
       [](Proxies& p, Random&, int step) {
         for (ProxyBounds& q : p) shift(q.box, {step % 2 == 0 ? 0.5 : -0.5, 0, 0});
       }},
      {"coincident points",
       [](Proxies& p, Random&) {
         p.assign(60, {cube({1, 2, 3}, 0), true, true});
       },
       [](Proxies& p, Random& r, int) { shift(p[7].box, r.symmetric_vector(0.1)); }},
      {"zero extent",
       [](Proxies& p, Random& r) {
         for (int i = 0; i < 200; ++i) {
           Aabb box = random_box(r, 2, 2);
           for (int k = 0; k < 3; ++k)
             if (i >> k & 1) box.upper[k] = box.lower[k];
           p.push_back({box, true, true});
         }
       },
       [](Proxies& p, Random& r, int) { jitter(p, r, 0.05); }},
      {"touching exactly", [](Proxies& p, Random&) { add_lattice(p, 6, 0); },
       [](Proxies& p, Random& r, int) {
         // By whole and half units: exact in floating point.
         for (ProxyBounds& q : p)
           if (r.uniform() < 0.2) shift(q.box, {std::floor(4 * r.uniform()) / 2 - 1, 0, std::floor(2 * r.uniform())});
       }},
      {"touching far away", [](Proxies& p, Random&) { add_lattice(p, 5, 1e6 + 0.1); }, nothing},
      {"invalid boxes",
       [](Proxies& p, Random& r) {
         add_boxes(p, r, 60, 2, 2), p.push_back({ground(kInf), true, true});
       },
       [](Proxies& p, Random& r, int step) {
         jitter(p, r, 0.02);
         p[10].box = step % 2 == 0 ? Aabb{} : random_box(r, 2, 2);
         p[20].box = random_box(r, 2, 2);
         if (step % 3 == 0) std::swap(p[20].box.lower.y, p[20].box.upper.y);
         p[30].box = random_box(r, 2, 2);
         if (step % 4 == 0) p[30].box.upper.z = std::nan("");
       }},
  };
}

}  // namespace

std::vector<Scene> scenes() {
  std::vector<Scene> all = scenes_of_motion();
  for (auto& part : {scenes_of_population(), scenes_of_shape()}) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace rigor::broadphase_test
