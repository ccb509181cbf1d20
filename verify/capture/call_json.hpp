#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "verify/capture/json_stream.hpp"
#include "verify/capture/spool/spool_file.hpp"

namespace tasktwin::verify {

// Parts of a JSON object that is open, each with a comma ahead: what calls and graph nodes have in common.

/// "HtoD" and so on, by CUpti_ActivityMemcpyKind.
std::string_view copy_word(std::size_t kind);

void write_three(JsonStream& out, std::string_view key, const std::array<std::uint32_t, 3>& of);

/// Which kernel, its grid and block, what it asks for, and its pointers.
void write_kernel(JsonStream& out, const spool::KernelArguments& kernel, const std::vector<spool::PointerArgument>& pointers);

/// The arguments of a call without a kernel.
void write_arguments(JsonStream& out, const spool::CallRecord& call);

}  // namespace tasktwin::verify
