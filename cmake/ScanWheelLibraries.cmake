# The run-time library of OpenMP for wheels, which makes threads of host code where none is
# installed (lib/Execution/HostThreads.cpp looks beside the library that it is part of), with
# its licence. Taken from Debian's package libomp5-19; without it the wheel has none, and
# host code looks for the system's.
file(GLOB _folders /usr/lib/llvm-22/lib /usr/lib/llvm-*/lib)
find_library(SCAN_WHEEL_LIBOMP NAMES libomp.so.5 PATHS ${_folders})
find_file(SCAN_WHEEL_LIBOMP_LICENSE NAMES copyright NO_DEFAULT_PATH
          PATHS /usr/share/doc/libomp5-19 /usr/share/doc/libomp5-22)
if(SCAN_WHEEL_LIBOMP AND SCAN_WHEEL_LIBOMP_LICENSE)
  # The file, not the link to it.
  file(REAL_PATH ${SCAN_WHEEL_LIBOMP} _libomp)
  install(PROGRAMS ${_libomp} DESTINATION mlir_scan RENAME libomp.so.5
          COMPONENT python EXCLUDE_FROM_ALL)
  install(FILES ${SCAN_WHEEL_LIBOMP_LICENSE} DESTINATION mlir_scan RENAME libomp.copyright
          COMPONENT python EXCLUDE_FROM_ALL)
  # Which the former refers to.
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/../LICENSE DESTINATION mlir_scan
          COMPONENT python EXCLUDE_FROM_ALL)
else()
  message(STATUS "wheels have no libomp: expected the package libomp5-19")
endif()
