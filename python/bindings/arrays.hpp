#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>

namespace tasktwin::python {

/// Values of type `type` where they are, `stride` bytes apart: read-only, and `owner` lives as long as the array.
inline pybind11::array view(const pybind11::dtype& type, const void* first, std::size_t count, std::size_t stride,
                            const pybind11::handle& owner) {
  // Without an address NumPy would allocate an array of its own.
  static const std::int64_t nothing = 0;
  pybind11::array array(type, {static_cast<pybind11::ssize_t>(count)}, {static_cast<pybind11::ssize_t>(stride)},
                        count > 0 ? first : &nothing, owner);
  pybind11::detail::array_proxy(array.ptr())->flags &= ~pybind11::detail::npy_api::NPY_ARRAY_WRITEABLE_;
  return array;
}

/// What NumPy makes of `given`. Throws InputError, said of `path`, where that is no array, or values of it are masked.
pybind11::array array_from(const pybind11::object& given, const std::string& path);

/// An array of `shape` that takes the values over.
template <class Value>
pybind11::array owned(std::vector<Value> values, std::vector<pybind11::ssize_t> shape) {
  auto kept = std::make_unique<std::vector<Value>>(std::move(values));
  const Value* const data = kept->data();
  const pybind11::capsule owner(kept.release(), [](void* given) { delete static_cast<std::vector<Value>*>(given); });
  return pybind11::array(pybind11::dtype::of<Value>(), std::move(shape), data, owner);
}

}  // namespace tasktwin::python
