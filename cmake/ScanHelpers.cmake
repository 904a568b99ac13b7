# Build rules shared by lib/ and tools/.
include(ScanUnityBuild)

option(SCAN_WERROR "Treat compiler warnings as errors" ON)
set(SCAN_SANITIZERS "" CACHE STRING
    "Sanitizers for every target, as -fsanitize takes them (e.g. address,undefined)")

# What C programs of the tests take, too.
add_library(scan_sanitizer_options INTERFACE)
add_library(scan_compile_options INTERFACE)
target_link_libraries(scan_compile_options INTERFACE scan_sanitizer_options)
target_compile_options(scan_compile_options INTERFACE
  -fno-rtti -fno-exceptions -Wall -Wextra -Wno-unused-parameter
  -fvisibility-inlines-hidden $<$<BOOL:${SCAN_WERROR}>:-Werror>)
if(SCAN_SANITIZERS)
  # vptr checks need run-time type information, which LLVM code goes without.
  # Checks of function types read in front of the function that is called, where
  # code from the JIT has nothing, at the start of a page not even memory.
  set(_scan_sanitize -fsanitize=${SCAN_SANITIZERS} -fno-sanitize=vptr,function
      -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(scan_sanitizer_options INTERFACE ${_scan_sanitize})
  # One runtime for the library and whatever loads it; the loader is told where.
  # Programs that were built without it have to preload it (test/lit.cfg.py).
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libclang_rt.asan-x86_64.so
                  OUTPUT_VARIABLE SCAN_SANITIZER_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
  get_filename_component(_scan_runtime "${SCAN_SANITIZER_RUNTIME}" DIRECTORY)
  target_link_options(scan_sanitizer_options INTERFACE ${_scan_sanitize} -shared-libasan
                      -Wl,-rpath,${_scan_runtime})
  # For what is run while it is built; the reasons are in test/lit.cfg.py.
  set(SCAN_SANITIZER_ENVIRONMENT ${CMAKE_COMMAND} -E env LD_PRELOAD=${SCAN_SANITIZER_RUNTIME}
      ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0)
endif()

# Most of the time to compile a file goes into the headers of MLIR. What many files
# include is compiled once; the project's own headers, which change, stay out of it.
# A build without this, as the preset `debug` is, shows includes that are missing.
option(SCAN_PRECOMPILE_HEADERS "Compile the most used headers of MLIR once" ON)
if(SCAN_PRECOMPILE_HEADERS)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "")
  add_library(scan_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(scan_precompiled PRIVATE scan_compile_options)
  include(ScanPrecompiledHeaders)
  target_precompile_headers(scan_precompiled PRIVATE ${SCAN_PRECOMPILED_HEADERS})
  set(SCAN_PRECOMPILED ${CMAKE_BINARY_DIR}/CMakeFiles/scan_precompiled.dir/cmake_pch.hxx.pch)
  # The compiled headers name the build folder, and are not cached. For ccache this sum
  # stands for them, the same in each checkout.
  set_target_properties(scan_precompiled PROPERTIES CXX_COMPILER_LAUNCHER "")
  string(SHA256 _sum "${LLVM_PACKAGE_VERSION} ${CMAKE_CXX_COMPILER_VERSION} ${SCAN_PRECOMPILED_HEADERS}")
  file(CONFIGURE OUTPUT ${SCAN_PRECOMPILED}.sum CONTENT "${_sum}\n")
endif()
function(scan_use_precompiled_headers target)
  if(SCAN_PRECOMPILE_HEADERS)
    # CMake's REUSE_FROM would name the build folder in a place where ccache lets it be.
    target_compile_options(${target} PRIVATE
      "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Winvalid-pch -include-pch ${SCAN_PRECOMPILED}>")
    # Programs would be compiled with -fPIE, which the headers are not.
    get_target_property(_type ${target} TYPE)
    if(_type STREQUAL "EXECUTABLE")
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
    get_target_property(_sources ${target} SOURCES)
    set_source_files_properties(${_sources} PROPERTIES OBJECT_DEPENDS ${SCAN_PRECOMPILED})
  endif()
endfunction()

define_property(GLOBAL PROPERTY SCAN_OBJECT_LIBRARIES
  BRIEF_DOCS "The layers that libMLIRScan is made of"
  FULL_DOCS "Every object library that add_scan_layer made, in order")

define_property(GLOBAL PROPERTY SCAN_TOOL_OBJECT_LIBRARIES
  BRIEF_DOCS "The layers that libMLIRScanTools.a is made of"
  FULL_DOCS "Every object library that add_scan_tool_layer made, in order")

# add_scan_layer(Name sources... [WITHOUT_MLIR] [DEPENDS targets...])
# One folder of lib/: objects that become part of the one shared libMLIRScan.
function(add_scan_layer name)
  scan_add_objects(${ARGV})
  set_property(GLOBAL APPEND PROPERTY SCAN_OBJECT_LIBRARIES obj.${name})
endfunction()

# add_scan_tool_layer(Name sources... [DEPENDS targets...])
# The same for what tools are made of, and nothing that is installed but them.
function(add_scan_tool_layer name)
  scan_add_objects(${ARGV})
  # A tool takes whole batches from the archive of these layers, and drops what it does
  # not call.
  target_compile_options(obj.${name} PRIVATE -ffunction-sections -fdata-sections)
  set_property(GLOBAL APPEND PROPERTY SCAN_TOOL_OBJECT_LIBRARIES obj.${name})
endfunction()

# Each file of these layers, compiled alone.
add_custom_target(scan-single-files)

function(scan_add_objects name)
  cmake_parse_arguments(ARG "WITHOUT_MLIR" "" "DEPENDS" ${ARGN})
  set(_sources ${ARG_UNPARSED_ARGUMENTS})
  if(SCAN_UNITY_BUILD)
    scan_make_batches(_sources ${ARG_UNPARSED_ARGUMENTS})
  endif()
  add_library(obj.${name} OBJECT ${_sources})
  target_link_libraries(obj.${name} PRIVATE scan_compile_options)
  if(NOT ARG_WITHOUT_MLIR)
    scan_use_precompiled_headers(obj.${name})
  endif()
  add_dependencies(obj.${name} MLIRScanTableGen ${ARG_DEPENDS})
  if(SCAN_UNITY_BUILD)
    scan_add_single_files(obj.${name} ${ARG_UNPARSED_ARGUMENTS})
  else()
    add_dependencies(scan-single-files obj.${name})
  endif()
endfunction()

# add_scan_tool(name sources...)
function(add_scan_tool name)
  add_executable(${name} ${ARGN})
  scan_use_precompiled_headers(${name})
  target_link_libraries(${name} PRIVATE scan_compile_options MLIRScanTools)
  target_link_options(${name} PRIVATE -Wl,--gc-sections)
  mlir_target_link_libraries(${name} PRIVATE MLIROptLib)
  set_property(GLOBAL APPEND PROPERTY SCAN_TOOLS ${name})
endfunction()
