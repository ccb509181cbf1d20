# The task bodies' sources, from gpu/. The first list needs no CUDA: descriptors, hashed numbers and the references that
# results are held against.
set(TASKTWIN_GPU_REFERENCE_SOURCES
  bodies/page_copies.cpp
  bodies/task_descriptor.cpp
  problems/check_problem.cpp
  problems/decode_numbers.cpp
  problems/reference_cholesky.cpp
  problems/reference_decode.cpp)
set(TASKTWIN_GPU_BODY_SOURCES
  ${TASKTWIN_GPU_REFERENCE_SOURCES}
  problems/problem_data.cpp
  problems/cholesky_data.cpp
  problems/decode_data.cpp
  problems/hash_fill.cu
  problems/read_through.cu
  problems/synthetic_data.cpp)
