# Flags of every build. Determinism: no contraction, no fast-math; the two -fno flags keep the bits and let
# square roots and selects vectorise.
option(KINEMA_TESTS "build the tests" ON)
set(KINEMA_SANITIZE "" CACHE STRING "address,undefined or thread")

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_compile_options(-Wall -Wextra -Werror -Wshadow -Wvla -Wpointer-arith -Wstrict-prototypes -Wmissing-prototypes
  -Wundef -Wwrite-strings -Wno-missing-field-initializers -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(KINEMA_SANITIZE)
  add_compile_options(-fsanitize=${KINEMA_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${KINEMA_SANITIZE})
endif()
