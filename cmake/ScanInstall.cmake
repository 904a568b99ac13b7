# `cmake --install build --prefix DIR`: library, tools, headers, and what
# find_package(MLIRScan) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The tools so far; those of the tests come later and stay where they are.
get_property(_tools GLOBAL PROPERTY SCAN_TOOLS)
# In the build tree the folders of MLIR are known; MLIRScanConfig.cmake adds those of
# the machine that it is used on.
target_include_directories(MLIRScan SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS};${MLIR_INCLUDE_DIRS}>")
target_include_directories(MLIRScan INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(MLIRScan INTERFACE cxx_std_17)
target_compile_options(MLIRScan INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
# The tools and the plugin find the library wherever the tree is put.
set_target_properties(${_tools} PROPERTIES
  INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${LLVM_LIBRARY_DIR}")
set_target_properties(MLIRScanPlugin PROPERTIES
  INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
set_target_properties(MLIRScan PROPERTIES INSTALL_RPATH "${LLVM_LIBRARY_DIR}")

install(TARGETS MLIRScan EXPORT MLIRScanTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The launcher's own package needs no MLIR.
target_include_directories(MLIRScanLauncher INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(MLIRScanLauncher INTERFACE cxx_std_17)
install(TARGETS MLIRScanLauncher EXPORT MLIRScanLauncherConfig
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT MLIRScanLauncherConfig NAMESPACE MLIRScan::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/MLIRScanLauncher)
install(TARGETS MLIRScanPlugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${_tools} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(_headers Scan Scan-c)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/${_headers}
                    ${CMAKE_BINARY_DIR}/include/${_headers}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} OPTIONAL
          FILES_MATCHING PATTERN "*.h" PATTERN "*.h.inc" PATTERN "*.td"
          PATTERN CMakeFiles EXCLUDE)
endforeach()

set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/MLIRScan)
install(EXPORT MLIRScanTargets NAMESPACE MLIRScan:: DESTINATION ${_package})
# MLIRScan_DIR may also be the build folder.
export(EXPORT MLIRScanTargets NAMESPACE MLIRScan:: FILE ${CMAKE_BINARY_DIR}/MLIRScanTargets.cmake)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/MLIRScanConfig.cmake.in
  ${CMAKE_BINARY_DIR}/MLIRScanConfig.cmake INSTALL_DESTINATION ${_package}
  PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/MLIRScanConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/MLIRScanConfig.cmake
              ${CMAKE_BINARY_DIR}/MLIRScanConfigVersion.cmake DESTINATION ${_package})
