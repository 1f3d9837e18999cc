#pragma once

#include <string>

#include "rigor/fields.h"

namespace rigor {

/// Passes the fields of a method within a method on under a longer name: "lcp.iterations".
class PrefixedFields final : public FieldVisitor {
 public:
  PrefixedFields(FieldVisitor& inner, std::string prefix) : inner_(inner), prefix_(std::move(prefix)) {}

  void number(const std::string& n, double& v, const Field& f) override { inner_.number(prefix_ + n, v, f); }
  void integer(const std::string& n, int& v, const Field& f) override { inner_.integer(prefix_ + n, v, f); }
  void flag(const std::string& n, bool& v, const std::string& d) override { inner_.flag(prefix_ + n, v, d); }
  void choice(const std::string& n, std::string& v, const std::vector<std::string>& c, const std::string& d) override {
    inner_.choice(prefix_ + n, v, c, d);
  }
  void vector(const std::string& n, Vec3& v, const Field& f) override { inner_.vector(prefix_ + n, v, f); }

 private:
  FieldVisitor& inner_;
  std::string prefix_;
};

}  // namespace rigor
