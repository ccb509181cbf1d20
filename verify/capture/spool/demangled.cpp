#include "verify/capture/spool/demangled.hpp"

#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace tasktwin::verify {

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace tasktwin::verify
