# The reference in docs/reference: written from ODS, the pass definitions and the
# registered pipelines in every build, to docs/reference of the build folder.
# `update-docs` copies it into the checkout, which holds a copy for readers on the
# web; test/Docs/reference.test compares the two.
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
find_program(SCAN_LLVM_TBLGEN llvm-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)
find_program(SCAN_MLIR_TBLGEN mlir-tblgen HINTS ${LLVM_TOOLS_BINARY_DIR} REQUIRED)

file(GLOB_RECURSE _definitions CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/*.td)
set(_reference ${CMAKE_BINARY_DIR}/docs/reference)
add_custom_command(OUTPUT ${_reference}/README.md
  COMMAND ${SCAN_SANITIZER_ENVIRONMENT} ${Python3_EXECUTABLE}
    ${CMAKE_SOURCE_DIR}/scripts/generate_docs.py
    --include ${CMAKE_SOURCE_DIR}/include --mlir-include ${MLIR_INCLUDE_DIRS}
    --mlir-tblgen ${SCAN_MLIR_TBLGEN} --llvm-tblgen ${SCAN_LLVM_TBLGEN}
    --facts $<TARGET_FILE:scan-doc-facts> --opt $<TARGET_FILE:scan-opt>
    --out ${_reference}
  DEPENDS ${CMAKE_SOURCE_DIR}/scripts/generate_docs.py ${_definitions}
          scan-doc-facts scan-opt MLIRScan
  COMMENT "Writing docs/reference"
  VERBATIM)
add_custom_target(scan-docs ALL DEPENDS ${_reference}/README.md)

add_custom_target(update-docs
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_SOURCE_DIR}/docs/reference
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${_reference} ${CMAKE_SOURCE_DIR}/docs/reference
  DEPENDS scan-docs
  COMMENT "Copying the reference to docs/reference"
  VERBATIM)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md")
