// Which solvers go together, asked of check(Method) itself.
#pragma once

#include <string>

namespace rigor {

/// The page docs/methods/combinations.md.
std::string combinations_page();

}  // namespace rigor
