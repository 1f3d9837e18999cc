// The maximum simulation step of 7.5.7: a longer step is taken in equal parts.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "rigor/fields.h"

namespace rigor {

class MaxStepField {
 public:
  explicit MaxStepField(std::string name = "max_step",
                        std::string description = "longer steps are taken in equal parts, 1000 at most")
      : name_(std::move(name)), description_(std::move(description)) {}

  void fields(FieldVisitor& v) { v.number(name_, max_step_, {"s", kPositive, 1e6, description_}); }
  /// 1 … 1000. A step that is a multiple of the largest one but for rounding gets no additional part.
  int parts(double h) const {
    constexpr double kRounding = 1e-9, kMostParts = 1000;
    return static_cast<int>(std::clamp(std::ceil(h / max_step_ - kRounding), 1.0, kMostParts));
  }

 private:
  std::string name_, description_;
  double max_step_ = 1e6;  // s
};

}  // namespace rigor
