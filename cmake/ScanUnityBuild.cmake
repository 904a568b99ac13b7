# Compiles several files of a layer at once. Most of the time to compile a file goes into
# headers and into what their templates make, once per compilation. CMake's own UNITY_BUILD
# is not used: it writes absolute paths, so that a second checkout finds nothing in ccache,
# numbers the batches, and loses OBJECT_DEPENDS and the commands of single files.
#
# With this off, each file is compiled alone. With it on, `scan-single-files` does that
# besides, which shows what a file uses and does not include (but for what is precompiled);
# and compile_commands.json has a command for each file, for editors and clang-tidy.
option(SCAN_UNITY_BUILD "Compile the files of a layer in batches" ON)
set(SCAN_UNITY_BATCH_SIZE 8 CACHE STRING "How many files a batch has on average (2 or more)")
if(SCAN_UNITY_BUILD AND NOT SCAN_UNITY_BATCH_SIZE MATCHES "^([2-9]|[1-9][0-9]+)$")
  message(FATAL_ERROR "SCAN_UNITY_BATCH_SIZE: expected an integer of 2 or more, found "
                      "'${SCAN_UNITY_BATCH_SIZE}'; SCAN_UNITY_BUILD=OFF compiles file by file")
endif()

# scan_make_batches(<variable> sources...)
# Writes files that include the sources, and sets the variable to their paths. A batch is of
# one folder and in alphabetical order. It ends at a file whose name hashes to a certain
# value: where a file is added or removed, the batches around it change, and the others stay
# as they are.
function(scan_make_batches variable)
  list(SORT ARGN)
  math(EXPR _least "(${SCAN_UNITY_BATCH_SIZE} + 1) / 2")
  math(EXPR _most "2 * ${SCAN_UNITY_BATCH_SIZE}")
  file(RELATIVE_PATH _layer ${CMAKE_SOURCE_DIR}/lib ${CMAKE_CURRENT_SOURCE_DIR})
  set(_batches)
  set(_batch)
  foreach(_source ${ARGN})
    get_filename_component(_folder "${_source}" DIRECTORY)
    list(LENGTH _batch _size)
    string(MD5 _hash "${_source}")
    string(SUBSTRING ${_hash} 0 6 _hash)
    math(EXPR _rest "0x${_hash} % ${_least}")
    if(_size GREATER 0 AND (NOT _folder STREQUAL _last_folder OR _size EQUAL _most OR
                            (NOT _size LESS _least AND _rest EQUAL 0)))
      scan_write_batch(_batches ${_batch})
      set(_batch)
    endif()
    list(APPEND _batch ${_layer}/${_source})
    set(_last_folder "${_folder}")
  endforeach()
  scan_write_batch(_batches ${_batch})
  set(${variable} ${_batches} PARENT_SCOPE)
endfunction()

# The batch is called after its first file.
function(scan_write_batch variable first)
  set(_file ${CMAKE_BINARY_DIR}/batches/${first})
  set(_text "")
  foreach(_source ${first} ${ARGN})
    string(APPEND _text "#include \"${_source}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT ${_file} CONTENT "${_text}" @ONLY)
  set(${variable} ${${variable}} ${_file} PARENT_SCOPE)
endfunction()

# scan_add_single_files(target sources...)
# Compiles each file alone, with the options of the target, if `scan-single-files` is asked for.
function(scan_add_single_files target)
  add_library(${target}.single OBJECT EXCLUDE_FROM_ALL ${ARGN})
  target_compile_options(${target}.single PRIVATE
    $<TARGET_PROPERTY:${target},COMPILE_OPTIONS>)
  target_compile_definitions(${target}.single PRIVATE
    $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_include_directories(${target}.single PRIVATE
    $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  add_dependencies(${target}.single MLIRScanTableGen)
  add_dependencies(scan-single-files ${target}.single)
endfunction()
