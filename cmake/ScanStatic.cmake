# What a binary links that has LLVM and MLIR in it: SCAN_STATIC_LIBRARIES. It is empty
# where these are not there as archives, and with sanitizers, whose runtime such a wheel
# for Python would need preloaded.
set(SCAN_STATIC_LIBRARIES)
file(GLOB _archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
# What LLVM compresses with; the run-time library of zstd suffices.
find_library(SCAN_ZSTD NAMES libzstd.a zstd libzstd.so.1)
find_library(SCAN_ZLIB NAMES libz.a z)
if(NOT SCAN_SANITIZERS AND _archives AND SCAN_ZSTD AND SCAN_ZLIB)
  set(SCAN_STATIC_LIBRARIES -Wl,--start-group ${_archives} -Wl,--end-group
      ${SCAN_ZSTD} ${SCAN_ZLIB} ${CMAKE_DL_LIBS} m)
endif()

# add_scan_static_tool(name sources...)
# A tool with the project, MLIR and LLVM in one file, for what is started often: a process
# that loads the shared libraries takes 20 ms until main, and each call between them goes
# through a table. Where the archives are not there it is linked as the other tools are.
option(SCAN_STATIC_TOOLS "Link scan-translate with MLIR and LLVM in it" ON)
function(add_scan_static_tool name)
  if(NOT SCAN_STATIC_TOOLS OR NOT SCAN_STATIC_LIBRARIES)
    add_scan_tool(${name} ${ARGN})
    return()
  endif()
  add_executable(${name} ${ARGN})
  # The archive by its path: the target brings the shared library with it.
  add_dependencies(${name} MLIRScanTools)
  get_property(_layers GLOBAL PROPERTY SCAN_OBJECT_LIBRARIES)
  foreach(layer ${_layers})
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${layer}>)
  endforeach()
  set_target_properties(${name} PROPERTIES LINK_DEPENDS $<TARGET_FILE:MLIRScanTools>)
  target_link_libraries(${name} PRIVATE scan_compile_options $<TARGET_FILE:MLIRScanTools>
                        ${SCAN_STATIC_LIBRARIES})
  # At a fixed address there is next to nothing to relocate.
  target_link_options(${name} PRIVATE -no-pie -Wl,--gc-sections -Wl,--exclude-libs,ALL
                      $<$<CONFIG:Release>:-s>)
  set_property(GLOBAL APPEND PROPERTY SCAN_TOOLS ${name})
endfunction()
