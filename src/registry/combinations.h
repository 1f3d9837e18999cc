// The table of solvers that can be combined, computed with check(Method).
#pragma once

#include <string>

namespace rigor {

/// The page docs/methods/combinations.md.
std::string combinations_page();

}  // namespace rigor
