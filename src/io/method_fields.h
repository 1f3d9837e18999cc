#pragma once

#include <utility>

#include "rigor/method.h"

namespace rigor {

/// The flags and numbers of a method that belong to none of its slots.
class PlainMethodFields final : public Configurable {
 public:
  explicit PlainMethodFields(Method method) : method_(std::move(method)) {}
  void fields(FieldVisitor& visitor) override { visit_plain_fields(method_, visitor); }

 private:
  Method method_;
};

}  // namespace rigor
