#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "gpu/own/toolchain.hpp"

namespace tasktwin::gpu {

/// What code is made of, as a number (FNV-1a of 64 bits): equal for the same bytes in the same pieces.
class CodeKey {
 public:
  CodeKey& add(std::string_view piece);
  CodeKey& add_code(std::span<const char> code) { return add(std::string_view(code.data(), code.size())); }
  std::string text() const;

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

/// The code of that key as an earlier process has kept it, else made and kept. Where there is no folder to keep it in it is made each time.
Code kept_code(const CodeKey& key, std::string_view extension, const std::function<Code()>& make);

}  // namespace tasktwin::gpu
