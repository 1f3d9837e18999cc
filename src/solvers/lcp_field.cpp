#include "solvers/lcp_field.h"

#include "registry/entry.h"
#include "registry/field_error.h"
#include "solvers/prefixed_fields.h"

namespace rigor {

namespace {

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
  PrefixedFields prefixed(v, "lcp.");
  solver_->fields(prefixed);
}

}  // namespace rigor
