#pragma once

#include <stdexcept>
#include <string>

namespace rigor {

/// A user's mistake: one sentence that names the place. The call that throws it has changed nothing; only a user-written force that
/// throws leaves a step half done.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence) : std::runtime_error(sentence) {}
  Error(const std::string& place, const std::string& reason)
      : std::runtime_error(place.empty() ? reason : place + ": " + reason) {}
};

}  // namespace rigor
