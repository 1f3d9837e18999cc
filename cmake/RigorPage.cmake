# rigor_embed_page(OUT): the name of a generated source that holds the files of the viewer's page, bundled by esbuild from
# src/viewer/web. Without node, or before `npm ci` was run there, it holds no files, and `rigor view` says so.
function(rigor_embed_page out)
  set(web "${PROJECT_SOURCE_DIR}/src/viewer/web")
  set(folder "${PROJECT_BINARY_DIR}/generated/page")
  set(source "${folder}/page_files.cpp")
  find_program(RIGOR_NODE NAMES node nodejs)
  mark_as_advanced(RIGOR_NODE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${web}/package-lock.json")
  if(NOT RIGOR_NODE OR NOT EXISTS "${web}/node_modules/esbuild/package.json")
    message(STATUS "The viewer's page is missing: it needs node, and `npm ci` in src/viewer/web (./run does both)")
    file(CONFIGURE OUTPUT "${source}" CONTENT
      "#include \"viewer/page.h\"\n\nnamespace rigor::viewer {\nstd::span<const PageFile> page_files() { return {}; }\n}\n")
    set(${out} "${source}" PARENT_SCOPE)
    return()
  endif()

  file(GLOB_RECURSE inputs CONFIGURE_DEPENDS "${web}/*.js" "${web}/*.css" "${web}/*.html" "${web}/*.webp")
  list(FILTER inputs EXCLUDE REGEX "/node_modules/")
  add_custom_command(
    OUTPUT "${folder}/app.js" "${folder}/app.css" "${folder}/index.html"
    COMMAND "${RIGOR_NODE}" "${web}/build.mjs" "${folder}"
    DEPENDS ${inputs} "${web}/build.mjs" "${web}/package-lock.json"
    COMMENT "Bundling the viewer's page"
    VERBATIM)
  # The assembler copies the files into the object: quicker than any list of numbers, and nothing has to be escaped.
  file(CONFIGURE OUTPUT "${source}" @ONLY CONTENT [[
#include "viewer/page.h"

#define RIGOR_EMBED(symbol, file)                                                             \
  __asm__(".pushsection .rodata\n.balign 16\nrigor_page_" #symbol ":\n.incbin \"" file "\"\n" \
          "rigor_page_" #symbol "_end:\n.byte 0\n.popsection\n");                             \
  extern "C" const char rigor_page_##symbol[], rigor_page_##symbol##_end[]

RIGOR_EMBED(html, "@folder@/index.html");
RIGOR_EMBED(js, "@folder@/app.js");
RIGOR_EMBED(css, "@folder@/app.css");

namespace rigor::viewer {

std::span<const PageFile> page_files() {
  const auto bytes = [](const char* begin, const char* end) {
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  };
  static const PageFile files[] = {
      {"/index.html", "text/html; charset=utf-8", bytes(rigor_page_html, rigor_page_html_end)},
      {"/app.js", "text/javascript; charset=utf-8", bytes(rigor_page_js, rigor_page_js_end)},
      {"/app.css", "text/css; charset=utf-8", bytes(rigor_page_css, rigor_page_css_end)},
  };
  return files;
}

}  // namespace rigor::viewer
]])
  set_source_files_properties("${source}" PROPERTIES
    OBJECT_DEPENDS "${folder}/index.html;${folder}/app.js;${folder}/app.css" SKIP_PRECOMPILE_HEADERS ON)
  set(${out} "${source}" PARENT_SCOPE)
endfunction()
