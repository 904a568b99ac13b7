# What is linked with the archives of MLIR and LLVM, where these are installed: programs
# and modules that are alone with them.

file(GLOB _archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
# What LLVM compresses with; the run-time library of zstd suffices.
find_library(SCAN_ZSTD NAMES libzstd.a zstd libzstd.so.1)
find_library(SCAN_ZLIB NAMES libz.a z)
set(SCAN_HAS_ARCHIVES OFF)
# With sanitizers, a module would need their runtime preloaded.
if(NOT SCAN_SANITIZERS AND _archives AND SCAN_ZSTD AND SCAN_ZLIB)
  set(SCAN_HAS_ARCHIVES ON)
  set(SCAN_ARCHIVES -Wl,--start-group ${_archives} -Wl,--end-group
      ${SCAN_ZSTD} ${SCAN_ZLIB} ${CMAKE_DL_LIBS} m)
endif()

# add_scan_static_tool(name sources...)
# A tool that loads nothing of this project, of MLIR or of LLVM when it runs: to load these,
# and to look their functions up, takes 40 ms. It takes ten times the space of all the rest.
function(add_scan_static_tool name)
  set(_objects)
  foreach(kind SCAN_OBJECT_LIBRARIES SCAN_TOOL_OBJECT_LIBRARIES)
    get_property(_layers GLOBAL PROPERTY ${kind})
    foreach(layer ${_layers})
      list(APPEND _objects $<TARGET_OBJECTS:${layer}>)
    endforeach()
  endforeach()
  add_executable(${name} ${ARGN})
  scan_use_precompiled_headers(${name})
  target_sources(${name} PRIVATE ${_objects})
  add_dependencies(${name} MLIRScanTableGen)
  target_link_libraries(${name} PRIVATE scan_compile_options ${SCAN_ARCHIVES})
  # An executable at a fixed address has next to nothing to relocate.
  target_link_options(${name} PRIVATE -no-pie -Wl,--gc-sections -static-libstdc++
    $<$<CONFIG:Release>:-s>)
endfunction()

# add_scan_fast_tool(name sources...)
# A tool that shares MLIR with all else, which plugins need, and in static/bin one that
# starts fast, which the tests run.
function(add_scan_fast_tool name)
  add_scan_tool(${ARGV})
  if(SCAN_HAS_ARCHIVES)
    add_scan_static_tool(${name}-static ${ARGN})
    set_target_properties(${name}-static PROPERTIES OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/static/bin)
  endif()
endfunction()
