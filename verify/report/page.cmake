# The design-review page: TypeScript, bundled at build time into page_text.cpp. ${TASKTWIN_REPORT_SOURCE} is what to compile.
# TASKTWIN_PAGE_FOLDER is where page.html is made; empty where there is none, for want of Node.js and npm.
option(TASKTWIN_REPORT "Build the design-review page (needs nodejs 18 or newer, and npm)" ON)
find_program(TASKTWIN_NODE NAMES node nodejs)
find_program(TASKTWIN_NPM npm)
set(TASKTWIN_NODE_VERSION 0)
if(TASKTWIN_NODE)
  execute_process(COMMAND ${TASKTWIN_NODE} -p process.versions.node OUTPUT_VARIABLE TASKTWIN_NODE_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(TASKTWIN_REPORT AND (NOT TASKTWIN_NODE OR NOT TASKTWIN_NPM OR TASKTWIN_NODE_VERSION VERSION_LESS 18))
  message(STATUS "No nodejs 18 and npm: the page of compare --report is left out; everything else is built")
  set(TASKTWIN_REPORT OFF)
endif()

if(NOT TASKTWIN_REPORT)
  set(WHY "the page needs Node 18 or later (nodejs and npm) when tasktwin is built")
  set(TASKTWIN_REPORT_SOURCE ${CMAKE_CURRENT_BINARY_DIR}/page_text_missing.cpp)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/page_text_missing.cpp.in ${TASKTWIN_REPORT_SOURCE} @ONLY)
  set(TASKTWIN_PAGE_FOLDER "" CACHE INTERNAL "")
  return()
endif()

set(page ${CMAKE_CURRENT_LIST_DIR}/page)
set(TASKTWIN_PAGE_FOLDER ${CMAKE_CURRENT_BINARY_DIR}/report_page CACHE INTERNAL "")
set(TASKTWIN_REPORT_SOURCE ${TASKTWIN_PAGE_FOLDER}/page_text.cpp)

# npm, esbuild and tsc work in the build tree: the settings are copied there, the sources linked.
set(settings package.json package-lock.json .npmrc tsconfig.json build.mjs index.html)
foreach(file IN LISTS settings)
  configure_file(${page}/${file} ${TASKTWIN_PAGE_FOLDER}/${file} COPYONLY)
endforeach()
file(CREATE_LINK ${page}/src ${TASKTWIN_PAGE_FOLDER}/src SYMBOLIC)

file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${page}/src/*.ts ${page}/src/*.css)
list(TRANSFORM settings PREPEND ${TASKTWIN_PAGE_FOLDER}/)
add_custom_command(
  OUTPUT ${TASKTWIN_REPORT_SOURCE} ${TASKTWIN_PAGE_FOLDER}/page.html
  COMMAND ${CMAKE_COMMAND} -DNPM=${TASKTWIN_NPM} -DNODE=${TASKTWIN_NODE} -DMISSING=${CMAKE_CURRENT_LIST_DIR}/page_text_missing.cpp.in
    -P ${CMAKE_CURRENT_LIST_DIR}/make_page.cmake
  DEPENDS ${settings} ${page_sources} ${CMAKE_CURRENT_LIST_DIR}/make_page.cmake ${CMAKE_CURRENT_LIST_DIR}/page_text_missing.cpp.in
  WORKING_DIRECTORY ${TASKTWIN_PAGE_FOLDER}
  COMMENT "The report page (npm needs a network once; -DTASKTWIN_REPORT=OFF builds without the page)"
  VERBATIM)
add_custom_target(tasktwin_page DEPENDS ${TASKTWIN_REPORT_SOURCE})
