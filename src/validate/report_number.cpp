#include <cstdio>

#include "validate/validator.h"

namespace rigor {

std::string report_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

}  // namespace rigor
