# Tests of the task bodies: the first needs no CUDA, the second a GPU.
include(${PROJECT_SOURCE_DIR}/gpu/bodies.cmake)
list(TRANSFORM TASKTWIN_GPU_REFERENCE_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/gpu/ OUTPUT_VARIABLE reference_sources)
tasktwin_test(tasktwin_gpu_reference_tests
  LABEL unit
  SOURCES
    check_problem_test.cpp
    hashed_values_test.cpp
    reference_cholesky_test.cpp
    reference_decode_test.cpp
    task_descriptor_test.cpp
    ${reference_sources}
  LINK tasktwin_scenarios tasktwin_models Eigen3::Eigen)
if(TASKTWIN_CUDA)
  tasktwin_test(tasktwin_gpu_body_tests
    LABEL gpu
    SOURCES bodies_test.cu
    LINK tasktwin_gpu tasktwin_scenarios)
endif()
