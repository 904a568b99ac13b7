# Compiles through ccache where there is one. Paths below the checkout are hashed
# relative to it, so that a fresh clone in another folder finds what the first
# one built; the language of messages does not matter either. With optimisation
# the compiler's working directory, which only debug information names, is left
# out of the hash too.

option(SCAN_CCACHE "Compile through ccache if it is installed" ON)
find_program(SCAN_CCACHE_PROGRAM ccache)
if(SCAN_CCACHE AND SCAN_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_SLOPPINESS=locale,pch_defines,time_macros
      CCACHE_PCH_EXTSUM=1)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    list(APPEND CMAKE_CXX_COMPILER_LAUNCHER CCACHE_NOHASHDIR=1)
  endif()
  list(APPEND CMAKE_CXX_COMPILER_LAUNCHER ${SCAN_CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
