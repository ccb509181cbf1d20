# tasktwin_test(<name> LABEL <unit|golden|fidelity|gpu|report> SOURCES … LINK …): one GoogleTest executable whose every
# TEST is a CTest of its own. A test that calls GTEST_SKIP counts as skipped, by name. Tests run in the source tree's root.
include_guard(GLOBAL)
find_package(GTest REQUIRED)
include(GoogleTest)

set(TASKTWIN_TEST_TIMEOUT 300 CACHE STRING "Seconds that one test may take")

function(tasktwin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "LABEL" "SOURCES;LINK")
  set(labels unit golden fidelity gpu report)
  if(NOT ARG_LABEL IN_LIST labels)
    message(FATAL_ERROR "tasktwin_test(${name}): LABEL is '${ARG_LABEL}'; it must be one of ${labels}")
  endif()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tasktwin_test(${name}): unknown argument '${ARG_UNPARSED_ARGUMENTS}'")
  endif()
  add_executable(${name} ${ARG_SOURCES})
  add_dependencies(tests ${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  # A test is compiled more often than it runs; what takes time when it runs is in the libraries.
  tasktwin_compile_quickly(${name} -O0)
  if(CMAKE_CXX_FLAGS MATCHES "sanitize=.*undefined")  # it is the libraries that are to be watched, and with every check tests compile for long
    target_compile_options(${name} PRIVATE -fno-sanitize=undefined -O0)
  endif()
  tasktwin_precompile(${name} ${TASKTWIN_STANDARD_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
  tasktwin_warnings(${name})
  gtest_discover_tests(${name}
    NO_PRETTY_VALUES
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${TASKTWIN_TEST_TIMEOUT})
endfunction()
