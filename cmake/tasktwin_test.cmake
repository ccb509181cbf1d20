# tasktwin_test(<name> LABEL <unit|golden|fidelity|gpu|report> [SANITIZED] [TOGETHER …] [APART …] SOURCES … LINK …): one GoogleTest executable
# whose every TEST is a CTest of its own. SANITIZED: one of those that `make sanitize` runs. TOGETHER: suites that are a CTest each, because
# what their tests share takes long. APART: sources that are compiled by themselves, since their own names meet those of others. A
# test that calls GTEST_SKIP counts as skipped, by name. Tests run in the source tree's root.
include_guard(GLOBAL)
find_package(GTest REQUIRED)
include(GoogleTest)

add_custom_target(tests_sanitized)
file(WRITE ${PROJECT_BINARY_DIR}/sanitized-tests "")

# A test takes longer to compile than it runs; what takes time when it runs is in the libraries.
function(tasktwin_test_options name)
  tasktwin_compile_quickly(${name} -O0)
  # It is the libraries that sanitizers are to watch; with every check tests would compile for long.
  if(CMAKE_CXX_FLAGS MATCHES "sanitize=.*undefined")
    target_compile_options(${name} PRIVATE -fno-sanitize=undefined -O0)
  endif()
endfunction()

# Tests share one precompiled header.
if(TASKTWIN_PRECOMPILED_HEADERS)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp CONTENT "")
  add_library(tasktwin_test_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/test_headers.cpp)
  target_link_libraries(tasktwin_test_headers PRIVATE GTest::gmock)
  tasktwin_test_options(tasktwin_test_headers)
  tasktwin_warnings(tasktwin_test_headers)
  tasktwin_precompile(tasktwin_test_headers ${TASKTWIN_STANDARD_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
endif()

set(TASKTWIN_TEST_TIMEOUT 300 CACHE STRING "Seconds that one test may take")

function(tasktwin_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "SANITIZED" "LABEL" "SOURCES;LINK;TOGETHER;APART")
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
  if(ARG_SANITIZED)
    add_dependencies(tests_sanitized ${name})
    file(APPEND ${PROJECT_BINARY_DIR}/sanitized-tests "${name}\n")
  endif()
  tasktwin_test_options(${name})
  if(NOT ARG_LABEL STREQUAL "gpu")  # few, and not built everywhere
    tasktwin_compile_together(${name})
  endif()
  set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  if(TASKTWIN_PRECOMPILED_HEADERS)
    target_precompile_headers(${name} REUSE_FROM tasktwin_test_headers)
  endif()
  tasktwin_warnings(${name})
  set(filter)
  if(ARG_TOGETHER)
    list(JOIN ARG_TOGETHER ".*:" filter)
    set(filter TEST_FILTER "-${filter}.*")
  endif()
  foreach(suite ${ARG_TOGETHER})
    add_test(NAME ${suite} COMMAND ${name} --gtest_filter=${suite}.* WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${suite} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${TASKTWIN_TEST_TIMEOUT})
  endforeach()
  gtest_discover_tests(${name}
    NO_PRETTY_VALUES
    ${filter}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${TASKTWIN_TEST_TIMEOUT})
endfunction()
