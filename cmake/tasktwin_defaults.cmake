# What every target of the project shares.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)  # whoever adds this folder to a build links our libraries, and so what they link
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# By default for one compute capability, because each takes the kernels' compile time once more.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()
include(GNUInstallDirs)
set(TASKTWIN_INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/tasktwin)
set(TASKTWIN_DATA_DIR ${CMAKE_INSTALL_DATADIR}/tasktwin)
option(TASKTWIN_WERROR "Warnings are errors" OFF)
option(TASKTWIN_TESTS "Declare the tests, the examples and the benchmarks; the target 'tests' builds them" ${PROJECT_IS_TOP_LEVEL})
option(TASKTWIN_INSTALL "Declare what 'cmake --install' and CPack take" ${PROJECT_IS_TOP_LEVEL})

# A precompiled header differs each time that it is made, so nothing compiled with one is found in a compiler cache: either the one or
# the other.
find_program(TASKTWIN_CCACHE ccache)
if(TASKTWIN_CCACHE)
  set(without_cache OFF)
else()
  set(without_cache ON)
endif()
option(TASKTWIN_PRECOMPILED_HEADERS "Read large headers once a target, in place of using ccache" ${without_cache})
if(TASKTWIN_CCACHE AND NOT TASKTWIN_PRECOMPILED_HEADERS AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TASKTWIN_CCACHE})
endif()
if(TASKTWIN_CCACHE AND NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${TASKTWIN_CCACHE})
endif()

set(TASKTWIN_STANDARD_HEADERS <algorithm> <array> <chrono> <filesystem> <functional> <map> <memory> <optional> <ranges> <span> <string> <vector>)

# tasktwin_library(name SOURCES … PUBLIC … PRIVATE … HEADER_ONLY … PRECOMPILE …): the library of one folder, tasktwin::<folder> to others;
# includes are from the root. HEADER_ONLY are libraries that its sources alone include: whoever links it does not need them.
function(tasktwin_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE;HEADER_ONLY;PRECOMPILE" ${ARGN})
  string(REGEX REPLACE "^tasktwin_" "" folder ${name})
  add_library(${name} STATIC ${ARG_SOURCES})
  add_library(tasktwin::${folder} ALIAS ${name})
  # Shared objects may be linked with it: policies of one's own, and bindings to other languages.
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${folder} POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-semantic-interposition>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${TASKTWIN_INCLUDE_DIR}>)
  list(TRANSFORM ARG_HEADER_ONLY REPLACE "(.+)" "$<BUILD_INTERFACE:\\1>")
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE} ${ARG_HEADER_ONLY})
  list(LENGTH ARG_SOURCES files)
  if(files GREATER 5)
    tasktwin_precompile(${name} ${TASKTWIN_STANDARD_HEADERS} ${ARG_PRECOMPILE})
  endif()
  tasktwin_warnings(${name})
  if(TASKTWIN_INSTALL)
    install(TARGETS ${name} EXPORT tasktwin ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
  endif()
endfunction()

# tasktwin_room(variable pattern…): the sources of rooms whose every file is one implementation behind one interface, in order: a new one
# needs no line in a list.
function(tasktwin_room variable)
  file(GLOB sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${ARGN})
  list(SORT sources)
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# tasktwin_precompile(target header…): for its C++ sources, where headers are precompiled at all.
function(tasktwin_precompile name)
  if(TASKTWIN_PRECOMPILED_HEADERS)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
endfunction()

# tasktwin_compile_quickly(target [option]): for what takes longer to compile than it ever runs; -O1 where no option is given.
function(tasktwin_compile_quickly name)
  set(option -O1 ${ARGN})
  list(POP_BACK option last)
  target_compile_options(${name} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${last}>)
endfunction()

option(TASKTWIN_UNITY "Compile several sources as one: half the time from nothing, but more after each change" ON)

# tasktwin_compile_together(target [BY_FOLDER] [folder…]): its sources, but for those in the folders, whose own names would meet. BY_FOLDER:
# those of one folder, so that a new source changes no other folder's.
function(tasktwin_compile_together name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "BY_FOLDER" "" "")
  set(batch 8)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${TASKTWIN_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
  if(TASKTWIN_UNITY)  # to GCC a source that another includes is a header
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
  get_target_property(sources ${name} SOURCES)
  foreach(folder ${ARG_UNPARSED_ARGUMENTS})
    set(apart ${sources})
    list(FILTER apart INCLUDE REGEX "^${folder}/")
    set_source_files_properties(${apart} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
  if(ARG_BY_FOLDER)
    set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
    foreach(source ${sources})
      get_filename_component(folder ${source} DIRECTORY)
      string(MAKE_C_IDENTIFIER "${folder}" folder)
      math(EXPR count_${folder} "0${count_${folder}} + 1")
      math(EXPR group "(${count_${folder}} - 1) / ${batch}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
    endforeach()
  endif()
endfunction()

function(tasktwin_warnings name)
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # False alarms of GCC 12 in std::string (its bug 105651) and in Boost.Graph's adjacency list.
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-maybe-uninitialized>)
  endif()
  if(TASKTWIN_WERROR)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
endfunction()
