// MJCF's rules of contact in terms of collision groups and pairs of materials.
//
// Two geoms collide if (contype₁ & conaffinity₂) | (contype₂ & conaffinity₁) ≠ 0. Of two that touch, the one with the higher priority
// gives friction and condim; with equal ones the larger of both counts. condim 1 has no friction, 3 slides, 4 also resists spinning
// about the normal, 6 rolling as well.
#pragma once

#include <set>

#include "models/robot.h"

namespace rigor::models {

class ContactRules {
 public:
  explicit ContactRules(const Robot& robot);

  /// Group and mask of a link's body.
  void set_groups(const Link& link, BodyDef& def, Ledger& ledger) const;
  /// Exceptions for pairs of the materials in use, where the larger friction is not what MJCF says.
  MaterialRules material_rules(const std::set<std::string>& used, Ledger& ledger) const;

 private:
  using Bits = std::pair<std::uint32_t, std::uint32_t>;  // contype, conaffinity
  Bits bits_of(const Link& link) const;

  const Robot& robot_;
  std::vector<Bits> classes_;  // by collision group
};

}  // namespace rigor::models
