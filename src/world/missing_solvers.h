#pragma once

#include <string>
#include <vector>

#include "rigor/contacts.h"
#include "rigor/method.h"
#include "rigor/world.h"

namespace rigor {

/// Reports once, in a sentence each, that a method has no solver for joints or for contacts. Such a method is meant for
/// motion without them, so that it is not an error.
class MissingSolvers {
 public:
  explicit MissingSolvers(const Method& method);
  void report(const World& world, const ContactList& contacts, std::vector<std::string>& reports) {
    if (contacts_ || joints_) report_missing(world, contacts, reports);
  }

 private:
  void report_missing(const World& world, const ContactList& contacts, std::vector<std::string>& reports);

  std::string stepping_;
  bool contacts_, joints_;  // not reported yet
};

}  // namespace rigor
