#include "solvers/lcp_field.h"

#include "registry/entry.h"
#include "registry/field_error.h"

namespace rigor {

namespace {

/// Passes fields on under a longer name.
class Prefixed final : public FieldVisitor {
 public:
  Prefixed(FieldVisitor& inner, std::string prefix) : inner_(inner), prefix_(std::move(prefix)) {}

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

bool offers(const Entry& e, LcpNeeds needs) {
  switch (needs) {
    case LcpNeeds::equations: return true;
    case LcpNeeds::inequalities: return has_capability(e, "inequalities");
    case LcpNeeds::nonsymmetric: return has_capability(e, "inequalities") && has_capability(e, "nonsymmetric");
  }
  return false;
}

std::vector<std::string> lcp_names(LcpNeeds needs) {
  std::vector<std::string> names;
  for (const Entry& e : entries())
    if (e.kind == Kind::lcp && offers(e, needs)) names.push_back(e.name);
  return names;
}

/// It is an LCP solver, but none for this problem.
[[noreturn]] void refuse(const MethodInfo& info, LcpNeeds needs) {
  const std::string why = has_capability(info, "inequalities")
                              ? "' wants a symmetric matrix, and friction makes this one unsymmetric"
                              : "' solves equations only, and contacts and limits have bounds";
  std::string names;
  for (const std::string& name : lcp_names(needs)) names += (names.empty() ? "" : ", ") + name;
  throw FieldError("lcp", "'" + info.name + why + "; choose one of " + names);
}

}  // namespace

LcpField::LcpField(std::string name, Settings settings)
    : name_(std::move(name)), first_(name_), settings_(std::move(settings)) {}
LcpField::LcpField(LcpField&&) noexcept = default;
LcpField& LcpField::operator=(LcpField&&) noexcept = default;
LcpField::~LcpField() = default;

void LcpField::fields(FieldVisitor& v, LcpNeeds needs) {
  try {
    v.choice("lcp", name_, lcp_names(needs), "solver of the complementarity problem");
  } catch (const UnknownChoice& unknown) {
    if (const MethodInfo* info = find_method(Kind::lcp, unknown.value)) refuse(*info, needs);
    throw;
  }
  if (made_ != name_) {
    solver_ = create<LcpSolver>(Kind::lcp, {name_, name_ == first_ ? settings_ : Settings{}}, "lcp");
    is_exact_ = has_capability(entry(Kind::lcp, name_, "lcp"), "exact");
    made_ = name_;
  }
  Prefixed prefixed(v, "lcp.");
  solver_->fields(prefixed);
}

}  // namespace rigor
