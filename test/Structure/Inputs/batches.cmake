# usage: cmake -DNAMES=A.cpp;B.cpp;... -P batches.cmake
# The batches that SCAN_UNITY_BUILD makes of the files NAMES: one a line.
include(${CMAKE_CURRENT_LIST_DIR}/../../../cmake/ScanUnityBuild.cmake)
set(CMAKE_SOURCE_DIR ${CMAKE_CURRENT_BINARY_DIR})
set(CMAKE_CURRENT_SOURCE_DIR ${CMAKE_CURRENT_BINARY_DIR}/lib/Layer)
scan_make_batches(batches ${NAMES})
foreach(batch ${batches})
  file(STRINGS ${batch} lines)
  list(JOIN lines " " line)
  string(REPLACE "#include " "" line "${line}")
  execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${line}")
endforeach()
