#pragma once

#include <utility>

#include "rigor/method.h"

namespace rigor {

/// The flags and numbers of a method outside of its slots, for settings_of() and configure().
class PlainMethodFields final : public Configurable {
 public:
  explicit PlainMethodFields(Method method) : method_(std::move(method)) {}
  void fields(FieldVisitor& visitor) override { visit_plain_fields(method_, visitor); }
  const Method& method() const { return method_; }

 private:
  Method method_;
};

}  // namespace rigor
