// Calls into extensions. An exception becomes one sentence that names the extension.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "rigor/error.h"
#include "rigor/interruption.h"
#include "rigor/registry.h"

namespace rigor {

/// Thrown when an extension throws or returns an invalid result within a step. The step is half done.
struct ExtensionFailure : Error {
  using Error::Error;
};

/// "integrator 'heun'".
inline std::string extension_name(Kind kind, std::string_view name) {
  return std::string(to_string(kind)) + " '" + std::string(name) + "'";
}

/// Returns call(). An exception of the library itself, thrown during a call back from the extension, is in `own` and is rethrown unchanged.
template <class Call>
auto call_extension(Kind kind, std::string_view name, const Call& call, const std::exception_ptr* own = nullptr) {
  try {
    return call();
  } catch (...) {
    if (own && *own) std::rethrow_exception(*own);
    try {
      throw;
    } catch (const Interrupted&) {
      throw;
    } catch (const ExtensionFailure&) {
      throw;
    } catch (const std::exception& e) {
      throw ExtensionFailure(extension_name(kind, name), std::string("it threw an exception: ") + e.what());
    } catch (...) {
      throw ExtensionFailure(extension_name(kind, name), "it threw something that is not a std::exception");
    }
  }
}

/// Runs a call back into the library and stores its exception.
template <class Call> auto call_back(std::exception_ptr& own, const Call& call) {
  try {
    return call();
  } catch (...) {
    own = std::current_exception();
    throw;
  }
}

/// Calls fields() of an extension. Errors of the visitor pass through, others become one sentence.
template <class Object> void visit_extension(Kind kind, std::string_view name, Object& object, FieldVisitor& v) {
  try {
    object.fields(v);
  } catch (const std::runtime_error&) {
    throw;  // Error and FieldError, which are sentences already
  } catch (const std::exception& e) {
    throw Error(extension_name(kind, name), std::string("its parameters cannot be listed: ") + e.what());
  }
}

}  // namespace rigor
