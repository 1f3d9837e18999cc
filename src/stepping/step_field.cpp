#include "stepping/step_field.h"

#include "registry/entry.h"
#include "solvers/prefixed_fields.h"

namespace rigor {

namespace {

std::vector<std::string> offered_steps() {
  std::vector<std::string> names;
  for (const Entry& e : entries())
    if (e.kind == Kind::stepping && !has_capability(e, "solves-constraints") && !has_capability(e, "solves-joints") &&
        !has_capability(e, "contains-steps"))
      names.push_back(e.name);
  return names;
}

}  // namespace

void StepField::fields(FieldVisitor& v, const std::string& key, const std::string& description) {
  v.choice(key, name_, offered_steps(), description);
  if (made_ != name_) {
    step_ = create<Stepping>(Kind::stepping, {name_, name_ == first_ ? settings_ : Settings{}}, key);
    made_ = name_;
  }
  PrefixedFields prefixed(v, key + ".");
  step_->fields(prefixed);
}

}  // namespace rigor
