#pragma once

#include <array>
#include <string_view>

namespace tasktwin {

/// What a call of a captured program does, as a capture names it in `op` (docs/capture.md).
inline constexpr std::array<std::string_view, 39> kCapturedOps{"kernel",
                                                               "memcpy",
                                                               "memset",
                                                               "host_function",
                                                               "event_create",
                                                               "event_destroy",
                                                               "event_record",
                                                               "stream_wait_event",
                                                               "event_sync",
                                                               "event_query",
                                                               "stream_create",
                                                               "stream_destroy",
                                                               "stream_sync",
                                                               "stream_query",
                                                               "device_sync",
                                                               "stream_wait_value",
                                                               "stream_write_value",
                                                               "malloc",
                                                               "free",
                                                               "malloc_async",
                                                               "free_async",
                                                               "malloc_host",
                                                               "free_host",
                                                               "malloc_managed",
                                                               "host_register",
                                                               "host_unregister",
                                                               "mem_map",
                                                               "mem_unmap",
                                                               "graph_launch",
                                                               "graph_upload",
                                                               "graph_create",
                                                               "graph_add_node",
                                                               "graph_instantiate",
                                                               "graph_update",
                                                               "graph_destroy",
                                                               "graph_exec_destroy",
                                                               "capture_begin",
                                                               "capture_end",
                                                               "other"};

}  // namespace tasktwin
