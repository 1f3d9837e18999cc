#include "models/contact_rules.h"

#include <algorithm>
#include <map>

namespace rigor::models {

namespace {

constexpr std::size_t kGroups = 32;
constexpr std::size_t kMostMaterials = 300;  // pairs grow with the square

bool collide(const std::pair<std::uint32_t, std::uint32_t>& a, const std::pair<std::uint32_t, std::uint32_t>& b) {
  return (a.first & b.second) != 0 || (b.first & a.second) != 0;
}

}  // namespace

ContactRules::ContactRules(const Robot& robot) : robot_(robot) {
  for (const LinkPair& pair : robot.colliding_pairs) {
    if (pair.a == pair.b || pair.a == kWorld || pair.b == kWorld) continue;
    pairs_.insert({pair.a, pair.b});
    pairs_.insert({pair.b, pair.a});
    named_pairs_[std::minmax(pair.a, pair.b)].insert(std::minmax(pair.geom_a, pair.geom_b));
  }
  look_at_partners();
  has_pairs_ = !pairs_.empty();
  collect();
  if (!has_pairs_ || classes_.size() <= kGroups) return;
  has_pairs_ = false;
  collect();
}

void ContactRules::look_at_partners() {
  std::map<std::pair<Bits, std::vector<int>>, int> firsts;  // by bits and partners
  for (auto at = pairs_.begin(); at != pairs_.end();) {
    const int link = at->first;
    std::vector<int> partners;
    for (; at != pairs_.end() && at->first == link; ++at) partners.push_back(at->second);
    const Bits bits = bits_of(robot_.links[static_cast<std::size_t>(link)]);
    for (const Geom& g : robot_.links[static_cast<std::size_t>(link)].geoms)
      if (g.collides) ++solid_[link][{g.contype, g.conaffinity}];
    representative_[link] = firsts.try_emplace({bits, std::move(partners)}, link).first->second;
  }
}

void ContactRules::collect() {
  classes_.clear();
  for (std::size_t i = 0; i < robot_.links.size(); ++i) {
    const Class own = class_of(static_cast<int>(i));
    if ((own.bits != Bits{0, 0} || own.link != kWorld) && classes_.size() <= kGroups &&
        std::find(classes_.begin(), classes_.end(), own) == classes_.end())
      classes_.push_back(own);
  }
}

ContactRules::Class ContactRules::class_of(int i) const {
  const auto found = representative_.find(i);
  return {bits_of(robot_.links[static_cast<std::size_t>(i)]),
          has_pairs_ && found != representative_.end() ? found->second : kWorld};
}

bool ContactRules::do_collide(const Class& a, const Class& b) const {
  return collide(a.bits, b.bits) || (has_pairs_ && pairs_.contains({a.link, b.link}));
}

void ContactRules::note_pairs(Ledger& ledger) const {
  const auto hangs_on = [this](int i, int other) {
    return i != kWorld && robot_.links[static_cast<std::size_t>(i)].parent == other;
  };
  for (const LinkPair& pair : robot_.colliding_pairs)
    if (!has_pairs_)
      ledger.skip(pair.where, ModelNote::Kind::ignored,
                  "its geoms do not collide: there are more than 32 kinds of bodies by what they collide with");
    else if (!pairs_.contains({pair.a, pair.b}) || hangs_on(pair.a, pair.b) || hangs_on(pair.b, pair.a))
      ledger.skip(pair.where, ModelNote::Kind::ignored, "a body does not collide with the one that it hangs on");
    else if (!is_complete(pair.a, pair.b))
      ledger.remark(pair.where, ModelNote::Kind::replaced, "all geoms of its two bodies collide with each other");
}

bool ContactRules::is_complete(int a, int b) const {
  constexpr std::size_t kMost = 1000;  // chosen: more combinations than any model has between two bodies
  const std::map<Bits, std::size_t>&of_a = solid_.at(a), &of_b = solid_.at(b);
  if (of_a.size() * of_b.size() > kMost) return false;
  std::size_t by_pair = named_pairs_.at(std::minmax(a, b)).size(), all = 0;
  for (const auto& [bits, count] : of_a) {
    for (const auto& [other, others] : of_b) {
      all += count * others;
      if (collide(bits, other)) by_pair += count * others;
    }
  }
  return by_pair == all;
}

ContactRules::Bits ContactRules::bits_of(const Link& link) const {
  Bits bits{0, 0};
  for (const Geom& g : link.geoms)
    if (g.collides) bits.first |= g.contype, bits.second |= g.conaffinity;
  return bits;
}

void ContactRules::set_groups(int i, BodyDef& def, Ledger& ledger) const {
  const Link& link = robot_.links[static_cast<std::size_t>(i)];
  const Class own = class_of(i);
  const Bits bits = own.bits;
  for (const Geom& g : link.geoms)
    if (g.collides && (g.contype != bits.first || g.conaffinity != bits.second))
      ledger.remark(g.where, ModelNote::Kind::replaced,
                    "contype and conaffinity of all geoms of a body count together");
  const auto found = std::find(classes_.begin(), classes_.end(), own);
  const bool collides_with_nothing = bits == Bits{0, 0} && own.link == kWorld;
  if (collides_with_nothing || classes_.size() < 2) {
    const bool is_solid = std::any_of(link.geoms.begin(), link.geoms.end(), [](const Geom& g) { return g.collides; });
    if ((collides_with_nothing && is_solid) || (classes_.size() == 1 && !collide(bits, bits))) def.mask = 0;
    return;
  }
  if (classes_.size() > kGroups || found == classes_.end()) {
    ledger.remark(link.where, ModelNote::Kind::replaced,
                  "more than 32 kinds of contype and conaffinity; all of them collide");
    return;
  }
  def.group = 1u << (found - classes_.begin());
  def.mask = 0;
  for (std::size_t k = 0; k < classes_.size(); ++k)
    if (do_collide(own, classes_[k])) def.mask |= 1u << k;
}

MaterialRules ContactRules::material_rules(const std::set<std::string>& used, Ledger& ledger) const {
  std::map<std::string, const Geom*> geoms;
  for (const Link& link : robot_.links)
    for (const Geom& g : link.geoms)
      if (g.collides && used.contains(g.material.name)) geoms.emplace(g.material.name, &g);
  MaterialRules rules;
  const auto has_rule = [](const auto& item) { return item.second->priority != 0 || item.second->condim == 1; };
  const bool is_many = geoms.size() > kMostMaterials;
  if (is_many && std::any_of(geoms.begin(), geoms.end(), has_rule))
    ledger.warn("more than " + std::to_string(kMostMaterials) +
                " surfaces collide; priority and contacts without friction (condim=\"1\") are left out");
  for (auto a = geoms.begin(); a != geoms.end() && !is_many; ++a) {
    for (auto b = a; b != geoms.end(); ++b) {
      const Geom &p = *a->second, &q = *b->second;
      const double usual = std::max(p.material.friction, q.material.friction);
      double friction = usual;
      int condim = std::max(p.condim, q.condim);
      if (p.priority != q.priority) {
        const Geom& leading = p.priority > q.priority ? p : q;
        friction = leading.material.friction, condim = leading.condim;
      }
      if (condim == 1) friction = 0;
      if (friction == usual) continue;
      rules.pairs[std::minmax(a->first, b->first)] = {friction, friction, -1};
    }
  }
  std::map<std::string, std::string> material_of;  // by geom
  for (const Link& link : robot_.links)
    for (const Geom& g : link.geoms) material_of.emplace(g.name, g.material.name);
  for (const GeomPair& pair : robot_.geom_pairs) {
    const std::string &a = material_of[pair.first], &b = material_of[pair.second];
    rules.pairs[std::minmax(a, b)] = {pair.friction, pair.friction, -1};
  }
  return rules;
}

}  // namespace rigor::models
