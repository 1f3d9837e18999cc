// The work limit of one solve. Pivoting is exact but costs n³ and more, which takes minutes on a heap of bodies, so work is
// counted and ends at a limit, at the same point in every run.
#pragma once

#include "rigor/fields.h"
#include "rigor/interruption.h"

namespace rigor {

/// What fields() of every pivoting solver ends with.
struct WorkSettings {
  double millions = 2'000;  // about two seconds

  void fields(FieldVisitor& v) {
    v.number("work", millions,
             {"1", 1e-3, 1e9, "most multiplications of one solve, in millions; then the best x so far"});
  }
};

class WorkLeft {
 public:
  explicit WorkLeft(const WorkSettings& settings) : multiplications_(1e6 * settings.millions) {}

  bool has(double multiplications) const { return multiplications_ >= multiplications; }
  bool is_used_up() const { return is_used_up_; }
  /// False, and nothing spent, when there is not so much left.
  bool spend(double multiplications) {
    throw_if_interrupted();
    if (!has(multiplications)) is_used_up_ = true;
    if (is_used_up_) return false;
    multiplications_ -= multiplications;
    return true;
  }

 private:
  double multiplications_;
  bool is_used_up_ = false;
};

}  // namespace rigor
