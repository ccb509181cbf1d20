# Kernels into which a scenario's own bodies are linked at run time: each source once more, as LTO code in which bodies are open. Such code
# links for the compute capability that it was made for and for later ones: the lowest of those that are asked for.
set(sources host_dispatcher/host_dispatcher_kernel.cu ${kernels} task_kernels/stream_kernels.cu)
list(REMOVE_ITEM sources persistent/static_queues/static_queues_pages_kernel.cu)  # whose bodies know what their pages hold
set(capabilities ${CMAKE_CUDA_ARCHITECTURES})
list(TRANSFORM capabilities REPLACE "-.*" "")
list(SORT capabilities COMPARE NATURAL)
list(GET capabilities 0 capability)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/lto)
file(MAKE_DIRECTORY ${folder})
set(units "")
set(binaries "")
foreach(source ${sources})
  get_filename_component(unit ${source} NAME_WE)
  set(binary ${folder}/${unit}.fatbin)
  add_custom_command(OUTPUT ${binary}
    COMMAND ${CMAKE_CUDA_COMPILER} -std=c++20 -rdc=true -gencode arch=compute_${capability},code=lto_${capability} -fatbin
      -DTASKTWIN_OPEN_BODIES -I${PROJECT_SOURCE_DIR} -MD -MF ${binary}.d -MT ${binary} -o ${binary} ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPFILE ${binary}.d
    COMMENT "Making ${unit} open to bodies"
    VERBATIM)
  list(APPEND binaries ${binary})
  string(APPEND units " TASKTWIN_LTO_UNIT(${unit})")
endforeach()
set_source_files_properties(own/lto_units.cpp PROPERTIES
  OBJECT_DEPENDS "${binaries}"
  COMPILE_DEFINITIONS "TASKTWIN_LTO_FOLDER=\"${folder}\";TASKTWIN_LTO_UNITS=${units};TASKTWIN_LTO_CAPABILITY=${capability}")

set(TASKTWIN_GPU_OWN_SOURCES
  own/code_cache.cpp
  problems/fill_buffer.cu
  own/linked_kernels.cpp
  own/lto_units.cpp
  problems/own_data.cpp
  task_kernels/own_registers.cpp
  own/toolchain.cpp)
