// Style and colours shared by the pages of `rigor compare`.
#pragma once

#include <string>

namespace rigor {

/// The beginning of a page up to its headline; `more_style` is further CSS.
std::string report_head(const std::string& title, const std::string& headline = {}, const std::string& more_style = {});
/// A short line in the colour and with the dashes of entry `index`.
std::string report_key(std::size_t index);

}  // namespace rigor
