#pragma once

#include <string>
#include <vector>

#include "rigor/contacts.h"
#include "rigor/method.h"
#include "rigor/world.h"

namespace rigor {

/// Says once, in a sentence each, that nothing holds joints or touching bodies under a method. Motion without either is what
/// such a method is for, so it is no error.
class MissingSolvers {
 public:
  explicit MissingSolvers(const Method& method);
  void report(const World& world, const ContactList& contacts, std::vector<std::string>& reports);

 private:
  std::string stepping_;
  bool contacts_, joints_;  // still to be said
};

}  // namespace rigor
