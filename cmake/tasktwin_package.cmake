# `make package`: two Debian packages by CPack, the program with its data, and what programs are built with.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The tasktwin maintainers <maintainers@tasktwin.invalid>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "task graphs under schedule designs, predicted and measured\n Scenarios, machine files and recorded measurements come with it.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME tasktwin)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "tasktwin's libraries for programs of one's own\n Headers, static libraries, CMake's and pkg-config's files, examples.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libtasktwin-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
  "tasktwin (= ${PROJECT_VERSION}), coinor-libclp-dev, coinor-libcoinutils-dev, libbz2-dev, libfmt-dev, libsimgrid-dev, libyaml-cpp-dev, nlohmann-json3-dev, pkg-config, zlib1g-dev")
include(CPack)
