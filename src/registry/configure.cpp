// Writes settings into the fields of a method or force, and reads them back.
#include <sstream>

#include "registry/field_error.h"
#include "rigor/error.h"
#include "rigor/fields.h"
#include "rigor/registry.h"

namespace rigor {

namespace {

std::string range_text(const Field& f) {
  std::ostringstream out;
  if (f.min == kPositive && f.max == kUnbounded)
    out << "a positive number";
  else if (f.min == kPositive)
    out << "a number above 0 and up to " << f.max;
  else if (f.min == -kUnbounded && f.max == kUnbounded)
    out << "a finite number";
  else if (f.max == kUnbounded)
    out << "a number of at least " << f.min;
  else if (f.min == -kUnbounded)
    out << "a number of at most " << f.max;
  else
    out << "a number from " << f.min << " to " << f.max;
  return out.str();
}

std::string shown(double v) {
  std::ostringstream out;
  out << v;
  return out.str();
}

/// Lists all choices, because there are few.
std::string unknown_choice(const std::string& text, const std::vector<std::string>& choices) {
  std::string sentence = "unknown choice '" + text.substr(0, 60) + "'; known: ";
  for (std::size_t i = 0; i < choices.size(); ++i) sentence += (i > 0 ? ", " : "") + choices[i];
  return sentence;
}

/// Sets the fields that `settings` names. finish() reports names that are not fields.
class Setter final : public FieldVisitor {
 public:
  Setter(const Settings& settings, const std::string& place) : place_(place), left_(settings) {}

  void number(const std::string& name, double& value, const Field& f) override {
    const Value* given = take(name);
    if (!given) return;
    const double v = as_number(name, *given);
    if (v != value) value = checked(name, v, f);  // a default may be infinite
  }
  void integer(const std::string& name, int& value, const Field& f) override {
    const Value* given = take(name);
    if (!given) return;
    const double v = checked(name, as_number(name, *given), f);
    if (v != static_cast<double>(static_cast<int>(std::fmin(std::fmax(v, -2e9), 2e9))))
      throw Error(at(name), "expected a whole number, got " + shown(v));
    value = static_cast<int>(v);
  }
  void flag(const std::string& name, bool& value, const std::string&) override {
    const Value* given = take(name);
    if (!given) return;
    const bool* b = std::get_if<bool>(given);
    if (!b) throw Error(at(name), "expected true or false");
    value = *b;
  }
  void choice(const std::string& name, std::string& value, const std::vector<std::string>& choices,
              const std::string&) override {
    const Value* given = take(name);
    if (!given) return;
    const std::string* s = std::get_if<std::string>(given);
    const std::string text = s ? *s : "(not a string)";
    for (const std::string& c : choices)
      if (c == text) return void(value = text);
    throw UnknownChoice(at(name), unknown_choice(text, choices), text);
  }
  void vector(const std::string& name, Vec3& value, const Field&) override {
    const Value* given = take(name);
    if (!given) return;
    const Vec3* v = std::get_if<Vec3>(given);
    if (!v || !is_finite(*v)) throw Error(at(name), "expected three finite numbers");
    value = *v;
  }

  void finish() const {
    if (!left_.empty()) throw Error(place_, unknown_name("parameter", left_.begin()->first, names_));
  }

  std::string at(const std::string& name) const { return place_.empty() ? name : place_ + "." + name; }

 private:
  const Value* take(const std::string& name) {
    names_.push_back(name);
    const auto it = left_.find(name);
    if (it == left_.end()) return nullptr;
    taken_ = std::move(it->second);
    left_.erase(it);
    return &taken_;
  }
  double as_number(const std::string& name, const Value& v) const {
    if (const double* d = std::get_if<double>(&v)) return *d;
    if (const std::int64_t* i = std::get_if<std::int64_t>(&v)) return static_cast<double>(*i);
    throw Error(at(name), "expected a number");
  }
  double checked(const std::string& name, double v, const Field& f) const {
    if (std::isfinite(v) && v >= f.min && v <= f.max) return v;
    throw Error(at(name), "expected " + range_text(f) + ", got " + shown(v));
  }

  std::string place_;
  Settings left_;
  Value taken_;
  std::vector<std::string> names_;
};

class Getter final : public FieldVisitor {
 public:
  Settings settings;

  void number(const std::string& name, double& value, const Field&) override { settings[name] = value; }
  void integer(const std::string& name, int& value, const Field&) override { settings[name] = std::int64_t{value}; }
  void flag(const std::string& name, bool& value, const std::string&) override { settings[name] = value; }
  void choice(const std::string& name, std::string& value, const std::vector<std::string>&,
              const std::string&) override {
    settings[name] = value;
  }
  void vector(const std::string& name, Vec3& value, const Field&) override { settings[name] = value; }
};

}  // namespace

void configure(Configurable& object, const Settings& settings, const std::string& place) {
  Setter setter(settings, place);
  try {
    object.fields(setter);
  } catch (const FieldError& e) {
    throw Error(setter.at(e.name), e.what());
  }
  setter.finish();
}

Settings settings_of(const Configurable& object) {
  Getter getter;
  // fields() takes mutable members because it can set them; the getter only reads.
  const_cast<Configurable&>(object).fields(getter);
  return getter.settings;
}

}  // namespace rigor
