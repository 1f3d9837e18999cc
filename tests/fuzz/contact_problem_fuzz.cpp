// Any text is a contact problem or an Error of one sentence. A small one becomes a problem in the form that solvers read.
#include <cstdlib>
#include <string_view>

#include "lcp/contact_file.h"
#include "rigor/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rigor;
  try {
    const ContactFile file = read_contact_file({reinterpret_cast<const char*>(data), size});
    if (file.contacts <= 50 && file.M.rows <= 200) file.problem();
  } catch (const Error& error) {
    if (std::string_view(error.what()).size() >= 2000) std::abort();
  }
  return 0;
}
