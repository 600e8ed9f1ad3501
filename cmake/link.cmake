# libkinema, static and shared, from the object libraries. Lua is linked in statically so that its ^ goes through our
# own pow (libm's bits depend on the CPU): the linker wraps that one symbol.
find_library(LUA_STATIC liblua5.4.a REQUIRED)
pkg_check_modules(LUA REQUIRED lua5.4)
target_include_directories(kinema_files PRIVATE ${LUA_INCLUDE_DIRS})

get_property(kernel_objects GLOBAL PROPERTY KIN_OBJECTS)
add_library(kinema_static STATIC $<TARGET_OBJECTS:kinema_core> $<TARGET_OBJECTS:kinema_files> ${kernel_objects})
set_target_properties(kinema_static PROPERTIES OUTPUT_NAME kinema)
target_include_directories(kinema_static PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
target_link_libraries(kinema_static PUBLIC PkgConfig::JANSSON PkgConfig::ZSTD PkgConfig::PNG ${LUA_STATIC} Threads::Threads m dl)
target_link_options(kinema_static PUBLIC -Wl,--wrap=pow)
