# What `cmake --install` takes, in two components: `program` is what runs, `library` what programs are built with.
include(CMakePackageConfigHelpers)

install(TARGETS tasktwin RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
# The folders of data among those of sources.
foreach(folder scenarios scenarios/claims scenarios/machines scenarios/suite)
  file(GLOB data CONFIGURE_DEPENDS ${folder}/*.yaml)
  install(FILES ${data} DESTINATION ${TASKTWIN_DATA_DIR}/${folder} COMPONENT program)
endforeach()
install(DIRECTORY verify/recorded DESTINATION ${TASKTWIN_DATA_DIR}/verify COMPONENT program
  FILES_MATCHING PATTERN "*.json" PATTERN "*.jsonl" PATTERN "*.gz")
install(DIRECTORY verify/public DESTINATION ${TASKTWIN_DATA_DIR}/verify COMPONENT program)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# Manual pages are what the executable's --help says.
find_program(TASKTWIN_HELP2MAN help2man)
if(TASKTWIN_HELP2MAN)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/man/made
    COMMAND sh ${PROJECT_SOURCE_DIR}/scripts/manual_pages.sh $<TARGET_FILE:tasktwin> man
    COMMAND ${CMAKE_COMMAND} -E touch man/made
    DEPENDS tasktwin ${PROJECT_SOURCE_DIR}/scripts/manual_pages.sh
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Manual pages, from the help of each command"
    VERBATIM)
  add_custom_target(tasktwin_manual ALL DEPENDS ${PROJECT_BINARY_DIR}/man/made)
  if(TARGET tests)
    add_dependencies(tests tasktwin_manual)
  endif()
  install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program FILES_MATCHING PATTERN "*.1")
else()
  message(STATUS "No help2man: the manual pages are left out of what is installed")
endif()

foreach(folder models scenarios sim gpu verify)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${folder}/*.hpp ${folder}/*.cuh)
  foreach(header ${headers})
    cmake_path(GET header PARENT_PATH place)
    install(FILES ${header} DESTINATION ${TASKTWIN_INCLUDE_DIR}/${place} COMPONENT library)
  endforeach()
endforeach()
# What sources of kernels include, for editors and nvcc.
install(FILES gpu/own/interface.cuh RENAME kernel.hpp DESTINATION ${TASKTWIN_INCLUDE_DIR} COMPONENT program)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tasktwin)
install(EXPORT tasktwin NAMESPACE tasktwin:: FILE tasktwin-targets.cmake DESTINATION ${config_dir} COMPONENT library)
configure_package_config_file(cmake/tasktwin-config.cmake.in ${PROJECT_BINARY_DIR}/tasktwin-config.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tasktwin-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tasktwin-config.cmake ${PROJECT_BINARY_DIR}/tasktwin-config-version.cmake
  DESTINATION ${config_dir} COMPONENT library)
configure_file(cmake/tasktwin.pc.in ${PROJECT_BINARY_DIR}/tasktwin.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tasktwin.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
