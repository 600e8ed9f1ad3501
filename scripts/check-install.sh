#!/usr/bin/env bash
# Installs a build into a new folder, moves it, and builds the examples against it the way a stranger would: by pkg-config and by CMake,
# shared and static. Usage: check-install.sh [BUILD_DIR]. Last line: "tests: N passed, M failed".
set -u
cd "$(dirname "$0")/.."
source=$PWD
build=$(cd "${1:-build/release}" && pwd) || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# check NAME COMMAND...: the command must succeed; its output is shown when it does not.
check() {
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "scripts/check-install.sh: $name: ERROR" >&2
    tail -n 20 "$work/log" >&2
  fi
}

check "install" cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix" # an installed tree may be moved
prefix=$work/prefix
pc=$(find "$prefix" -name kinema.pc)
lib=$(dirname "$(dirname "$pc")")
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1

# ---- what is there ----
for file in include/kinema/kinema.h share/kinema/scenes/particles/first-light.lua bin/kinema share/man/man1/kinema.1; do
  check "$file is installed" test -s "$prefix/$file"
done
check "completions are installed" test -n "$(find "$prefix/share/bash-completion" -type f 2>/dev/null)"
for file in libkinema.a libkinema_lua.a libkinema.so libkinema.so.0; do check "$file is installed" test -s "$lib/$file"; done
check "pkg-config knows the version" test "$(pkg-config --modversion kinema)" = "$(sed -n 's/^project(kinema VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"

# ---- headers: each alone, in C11 and C++17 ----
for header in "$prefix"/include/kinema/*.h; do
  echo "#include <kinema/$(basename "$header")>" >"$work/header.c"
  cp "$work/header.c" "$work/header.cpp"
  check "$(basename "$header") alone in C" gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags kinema) "$work/header.c"
  check "$(basename "$header") alone in C++" g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags kinema) "$work/header.cpp"
done

# ---- symbols: what the headers promise is there, and nothing else is seen ----
nm -D --defined-only "$lib/libkinema.so" | awk '{ print $3 }' | sort -u >"$work/exported"
sed -n 's/^KIN_API[^(]*[ *]\(kin_[a-z0-9_]*\)(.*/\1/p' "$prefix"/include/kinema/*.h | sort -u >"$work/declared"
check "libkinema.so exports what the headers declare" diff "$work/declared" "$work/exported"
check "the shared library has no pow of libm" bash -c "! nm -D --undefined-only '$lib/libkinema.so' | grep -qE ' pow(@|$)'"

# ---- pkg-config ----
flags="-std=c17 -O2 -Wall -Wextra -Werror -Iexamples"
for name in hello embed drag fireworks meshes queries rigid sph; do
  check "$name by pkg-config, shared" gcc $flags "examples/$name.c" $(pkg-config --cflags --libs kinema) -lpthread -o "$work/$name"
  check "$name by pkg-config, static" gcc $flags -static "examples/$name.c" $(pkg-config --static --cflags --libs kinema) -o "$work/${name}_static"
done
check "a scene by pkg-config, shared" gcc $flags tests/install/powers.c $(pkg-config --cflags --libs kinema) -lm -o "$work/powers"
check "a scene by pkg-config, static" gcc $flags -static tests/install/powers.c $(pkg-config --static --cflags --libs kinema) -lm -o "$work/powers_static"

# ---- CMake ----
check "a CMake project finds kinema" cmake -S "$source/examples" -B "$work/cmake" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER=gcc
check "a CMake project builds" cmake --build "$work/cmake"

# ---- what the programs say ----
for program in "$work/hello" "$work/hello_static" "$work/cmake/hello" "$work/cmake/hello_static"; do
  name=${program#"$work/"}
  check "$name runs" bash -c "'$program' > '$work/out'"
  check "$name starts at a metre" grep -qx "0.0 s  1.000 m" "$work/out"
  check "$name ends on the floor" test "$(tail -n 1 "$work/out")" = "2.0 s  0.100 m"
  check "$name prints 21 heights" test "$(wc -l <"$work/out")" = 21
done
for program in "$work/embed" "$work/embed_static" "$work/cmake/embed" "$work/cmake/embed_static"; do
  name=${program#"$work/"}
  check "$name runs" bash -c "'$program' > '$work/out'"
  check "$name gives all memory back" grep -q "left 0 bytes in 0 blocks" "$work/out"
  check "$name has equal bits" grep -qx "bits: equal" "$work/out"
  check "$name draws" test "$(grep -c ooo "$work/out")" -gt 10
  check "$name runs our scheduler" grep -qE "workers 2: [1-9][0-9]* loops" "$work/out"
done

for program in "$work/drag" "$work/drag_static" "$work/cmake/drag" "$work/cmake/drag_static"; do
  name=${program#"$work/"}
  check "$name runs" bash -c "'$program' > '$work/out'"
  check "$name prints 9 places" test "$(wc -l <"$work/out")" = 9
  check "$name carries the chain off" awk 'NR == 6 { exit !($3 > 0.1) }' "$work/out"
done
for program in "$work/fireworks" "$work/fireworks_static" "$work/cmake/fireworks" "$work/cmake/fireworks_static"; do
  name=${program#"$work/"}
  check "$name runs" bash -c "'$program' > '$work/out'"
  check "$name begins with nothing" grep -qx "0.0 s  shells 0  stars 0  sparks 0  up to 0 m" "$work/out"
  check "$name bursts" grep -qE "stars [1-9][0-9]{2}  " "$work/out"
  check "$name goes out" grep -qE "^8.0 s  shells 0  stars 0  sparks 0 " "$work/out"
done

for program in "$work/queries" "$work/queries_static" "$work/cmake/queries" "$work/cmake/queries_static"; do
  name=${program#"$work/"}
  check "$name runs" bash -c "'$program' > '$work/out'"
  check "$name sees the curtain first" grep -qx "first along a ray: curtain (1.995)" "$work/out"
  check "$name sees the vase behind it" grep -qx "through the curtain: vase (3.900)" "$work/out"
  check "$name walks into the ball" grep -q "meets: ball (after 0.950 m) table" "$work/out"
  check "$name scans from above" grep -qx "400 rays from above: floor 344 ball 8 table 46 vase 2 curtain 0" "$work/out"
done

for program in "$work/rigid" "$work/rigid_static" "$work/cmake/rigid" "$work/cmake/rigid_static"; do
  name=${program#"$work/"}
  check "$name runs" bash -c "'$program' > '$work/out'"
  check "$name sees the top crate" grep -qx "from above: crate 4, 2.50 m up" "$work/out"
  check "$name swings the ball into the stack" grep -qx "0.783 s  crate 2 hits ball at 4.4 m/s" "$work/out"
  check "$name leaves the lowest crate where it was" grep -qE "^body 0 +-?0.00 +0.25 +-?0.00 m " "$work/out"
  check "$name keeps the ball on its rope" grep -q "^the rope holds" "$work/out"
done

for program in "$work/sph" "$work/sph_static" "$work/cmake/sph" "$work/cmake/sph_static"; do
  name=${program#"$work/"}
  check "$name runs" bash -c "'$program' > '$work/out'"
  check "$name fills its dam" grep -qx "3072 particles, 47.9 kg of water" "$work/out"
  check "$name loses energy only" awk '/ J / { if (last != "" && $7 > last) exit 1; last = $7 }' "$work/out"
  check "$name keeps water in its box" awk '/ s / { if ($3 > 2 || $4 > 2) exit 1 }' "$work/out"
done

# ---- scripts: the same bits in both libraries, also where libm would differ ----
check "a scene through libkinema.so" bash -c "'$work/powers' tests/install/powers.lua > '$work/shared'"
check "a scene through libkinema.a" bash -c "'$work/powers_static' tests/install/powers.lua > '$work/static'"
check "a scene without FMA" bash -c "GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2 '$work/powers' tests/install/powers.lua > '$work/plain'"
check "both libraries agree on a script's powers" diff <(grep '^state' "$work/shared") <(grep '^state' "$work/static")
check "and do not depend on the CPU" diff <(grep '^state' "$work/shared") <(grep '^state' "$work/plain")
check "a scene with the archives alone" gcc $flags tests/install/powers.c $(pkg-config --cflags kinema) "$lib/libkinema.a" "$lib/libkinema_lua.a" -ljansson -lzstd -lpng -lpthread -lm -o "$work/powers_half"
check "its host keeps its own pow" bash -c "nm -D --undefined-only '$work/powers_half' | grep -qE ' pow(@|$)'"

# ---- the command ----
check "the installed command runs an installed scene" "$prefix/bin/kinema" run "$prefix/share/kinema/scenes/particles/first-light.lua" --frames 3 -o "$work/run" --quiet
check "and leaves a run" test -s "$work/run/manifest.json"

echo "tests: $passed passed, $failed failed"
[ $failed = 0 ]
