# What `make install` puts where: the command, headers, both libraries, scenes, man page, completions, and the two ways to find them
# (pkg-config kinema, find_package(kinema)). scripts/check-install.sh builds the examples against the result.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
find_program(OBJCOPY objcopy REQUIRED)

# Lua for the installed libraries. A program that links libkinema.a should not need --wrap=pow: that would redirect the program's own pow
# too. So the installed archive is a copy in which the one symbol already has its new name; the copy for libkinema.so is also freed of the
# three streams (lua_streams.c).
function(kin_lua_copy file)
  add_custom_command(OUTPUT ${file} DEPENDS ${LUA_STATIC} COMMAND ${OBJCOPY} --redefine-sym pow=__wrap_pow ${ARGN} ${LUA_STATIC} ${file} VERBATIM)
endfunction()
set(lua_static ${CMAKE_BINARY_DIR}/libkinema_lua.a)
set(lua_shared ${CMAKE_BINARY_DIR}/lua_shared.a)
kin_lua_copy(${lua_static})
kin_lua_copy(${lua_shared} --redefine-sym stdin=kin_lua_stdin --redefine-sym stdout=kin_lua_stdout --redefine-sym stderr=kin_lua_stderr)
add_custom_target(kinema_lua ALL DEPENDS ${lua_static} ${lua_shared})

# libkinema.so: the same objects as libkinema.a. Lua stays inside: none of its symbols are seen outside.
add_library(kinema_shared SHARED $<TARGET_OBJECTS:kinema_core> $<TARGET_OBJECTS:kinema_files> ${kernel_objects} cmake/lua_streams.c)
add_dependencies(kinema_shared kinema_lua)
set_target_properties(kinema_shared PROPERTIES OUTPUT_NAME kinema VERSION ${PROJECT_VERSION} SOVERSION 0 LINK_DEPENDS ${lua_shared})
target_link_libraries(kinema_shared PRIVATE PkgConfig::JANSSON PkgConfig::ZSTD PkgConfig::PNG ${lua_shared} Threads::Threads m dl)
target_link_options(kinema_shared PRIVATE -Wl,--exclude-libs,ALL)

install(TARGETS kinema_static kinema_shared
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${lua_static} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/kinema DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/kinema)
if(TARGET kinema_command)
  install(TARGETS kinema_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# Generated pages that are committed: they may not be there yet on the first build of a new machine.
install(FILES docs/man/kinema.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES tools/completion/kinema.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME kinema OPTIONAL)
install(FILES tools/completion/_kinema DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
install(FILES tools/completion/kinema.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)

# Both find their files from where they lie themselves, so an installed tree may be moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
configure_file(cmake/kinema.pc.in ${CMAKE_BINARY_DIR}/kinema.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/kinema.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/kinema)
configure_package_config_file(cmake/kinemaConfig.cmake.in ${CMAKE_BINARY_DIR}/kinemaConfig.cmake
  INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kinemaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/kinemaConfig.cmake ${CMAKE_BINARY_DIR}/kinemaConfigVersion.cmake DESTINATION ${package_folder})

# Writes docs/scene.md from the parameter tables (scripts/docs.sh).
add_executable(kinema_handbook docs/handbook.c)
target_include_directories(kinema_handbook PRIVATE include src)
target_link_libraries(kinema_handbook PRIVATE kinema_static)
