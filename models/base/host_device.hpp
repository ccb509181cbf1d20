#pragma once

/// Marks a function that both the host and the device compile.
#ifdef __CUDACC__
#define TASKTWIN_HOST_DEVICE __host__ __device__
#else
#define TASKTWIN_HOST_DEVICE
#endif
