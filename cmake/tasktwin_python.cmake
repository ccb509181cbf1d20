# Whether the Python module is built: TASKTWIN_PYTHON_FOUND. It links the libraries, whose objects are position-independent.
set(TASKTWIN_PYTHON AUTO CACHE STRING "Build the Python module: ON, OFF, or AUTO for where Python, NumPy and pybind11 are there")
set_property(CACHE TASKTWIN_PYTHON PROPERTY STRINGS AUTO ON OFF)

set(TASKTWIN_PYTHON_FOUND OFF)
if(TASKTWIN_PYTHON)
  if(NOT DEFINED Python3_ROOT_DIR AND NOT DEFINED Python3_EXECUTABLE)
    set(Python3_ROOT_DIR /usr)  # the system's, which packages.txt is about, before others in PATH
  endif()
  find_package(Python3 COMPONENTS Interpreter Development.Module NumPy QUIET)
  set(PYBIND11_FINDPYTHON OFF)
  if(Python3_FOUND)
    set(PYTHON_EXECUTABLE ${Python3_EXECUTABLE})
    find_package(pybind11 2.10 CONFIG QUIET)
  endif()
  if(Python3_FOUND AND pybind11_FOUND)
    set(TASKTWIN_PYTHON_FOUND ON)
    set(CMAKE_CXX_VISIBILITY_PRESET hidden)  # else calls between functions of a file cannot be inlined
    set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
    message(STATUS "Python module: for ${Python3_EXECUTABLE} ${Python3_VERSION}")
  elseif(TASKTWIN_PYTHON STREQUAL "AUTO")
    message(STATUS "No Python 3 with its headers, NumPy and pybind11: the Python module is left out; everything else is built")
  else()
    message(FATAL_ERROR "TASKTWIN_PYTHON is ${TASKTWIN_PYTHON}, but Python 3 with its headers, NumPy or pybind11 is missing "
                        "(packages python3-dev, python3-numpy and pybind11-dev)")
  endif()
endif()
