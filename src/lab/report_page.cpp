#include "lab/report_page.h"

#include <fmt/format.h>

#include "lab/svg_plot.h"

namespace rigor {

namespace {

constexpr const char* kStyle = R"(<style>
:root { color-scheme: light; }
body { font: 15px/1.5 "Inter", "Segoe UI", "DejaVu Sans", system-ui, sans-serif; color: #2b303a; background: #f7f8fa; margin: 0; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 27px; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 18px; margin: 38px 0 6px; }
p { margin: 6px 0; max-width: 86ch; }
.dim { color: #5b6270; }
.verdict { font-size: 17px; margin: 14px 0 4px; }
.legend { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 6px 20px; background: #f7f8fae8;
  padding: 10px 0; border-bottom: 1px solid #dfe2e8; margin-top: 12px; }
td:first-child { white-space: nowrap; }
.legend span, code { overflow-wrap: anywhere; }
.key { display: inline-block; width: 22px; vertical-align: middle; margin-right: 7px; }
table { border-collapse: collapse; width: 100%; background: #fff; font-variant-numeric: tabular-nums; margin: 10px 0; }
th, td { padding: 6px 8px; font-size: 14px; text-align: right; border: 1px solid #e6e8ec; }
td { white-space: nowrap; }
th { font-weight: 600; background: #f1f3f6; font-size: 13px; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
td.best { font-weight: 700; }
.words { color: #5b6270; font-size: 13px; max-width: none; }
.plot, .table { overflow-x: auto; }
.plot svg { width: 100%; min-width: 640px; height: auto; display: block; }
.stills { display: grid; gap: 4px 8px; align-items: center; grid-template-columns: repeat(var(--instants), 1fr); }
.stills .who { grid-column: 1 / -1; font-weight: 600; margin-top: 8px; }
.stills figure { margin: 0; }
figcaption { font-size: 12px; color: #5b6270; text-align: center; }
.still { width: 100%; height: auto; background: linear-gradient(#eef3fa, #fdfdfd 62%); border: 1px solid #e0e3e9; border-radius: 4px; display: block; }
ul { padding-left: 20px; margin: 6px 0; max-width: 90ch; }
code { background: #eceff3; padding: 1px 5px; border-radius: 3px; font-size: 13px; }
@media (max-width: 640px) {
  main { padding: 18px 14px 40px; }
  .legend { position: static; }
  .stills { grid-template-columns: repeat(min(3, var(--instants)), 1fr); }
}
@media print { .legend { position: static; } h2 { break-after: avoid; } }
)";

}  // namespace

std::string report_head(const std::string& title, const std::string& headline, const std::string& more_style) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>{}</title>\n{}{}</style>\n</head><body><main>\n<h1>{}</h1>\n",
      xml_text(title), kStyle, more_style, xml_text(headline.empty() ? title : headline));
}

std::string report_key(std::size_t index) {
  const std::string dashes = plot_dashes(index);
  return fmt::format(
      "<svg class=\"key\" viewBox=\"0 0 22 6\"><path d=\"M0 3H22\" stroke=\"{}\" stroke-width=\"4\" {}/></svg>",
      plot_color(index), dashes.empty() ? "" : fmt::format("stroke-dasharray=\"{}\"", dashes));
}

}  // namespace rigor
