#include "cli/method_options.h"

#include <cmath>

#include "cli/numbers.h"
#include "registry/key_order.h"
#include "rigor/error.h"

namespace rigor::cli {

namespace {

void apply_change(Method& method, const std::string& change) {
  const std::size_t equals = change.find('=');
  if (equals == 0 || equals == std::string::npos)
    throw Error("--set", "expected key=value, got '" + short_text(change) + "'");
  const std::string key = change.substr(0, equals);
  const Value value = parse_value(change.substr(equals + 1));
  if (const double* number = std::get_if<double>(&value); number && !std::isfinite(*number))
    throw Error("--set " + short_text(key), "expected a finite number");
  try {
    set(method, key, value);
  } catch (const Error& error) {
    throw Error("--set", error.what());
  }
}

}  // namespace

void add_method_options(Command& command, std::string& method, std::vector<std::string>& changes) {
  command.option("--method", method, "a preset instead of the scene's method", "PRESET");
  command.app()
      .add_option("--set", changes, "change one part of the method; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void change_method(Method& method, const std::string& name, const std::vector<std::string>& changes) {
  if (!name.empty()) method = preset(name);
  std::vector<std::string> ordered = changes;
  names_before_parameters(
      ordered, [](const std::string& change) { return std::string_view(change).substr(0, change.find('=')); });
  for (const std::string& change : ordered) apply_change(method, change);
  rigor::check(method);
}

}  // namespace rigor::cli
