#!/usr/bin/env bash
# Builds and runs every test: all of them in release, the goldens in every build, the sanitizers on what they are good at.
# Last line: "tests: N passed, M failed", over all builds.
set -u
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0

build() { make --no-print-directory PRESET="$1" "build/$1/build.ninja" && cmake --build "build/$1" --target "$2" -j"$(nproc)" >"$log.build" 2>&1 || { cat "$log.build"; rm -f "$log.build"; return 1; }; rm -f "$log.build"; }

# run PRESET TARGET LABELS...: the tests of a build, of which TARGET makes what they need; their own counts go to the log.
run() {
  local preset=$1 target=$2 begin=$SECONDS
  shift 2
  echo "== $preset"
  if ! build "$preset" "$target"; then
    echo "tests: 0 passed, 1 failed" >>"$log"
    status=1
    return
  fi
  (cd "build/$preset" && ctest --output-on-failure -j2 "$@" -V) >"$log.run" 2>&1 || status=1
  grep -E '^[0-9]+: (tests: [0-9]+ passed|slow: )' "$log.run" | sed 's/^[0-9]*: //' | tee -a "$log" | grep '^slow' || true
  if grep -qE '^[0-9]+: tests: [0-9]+ passed, [1-9][0-9]* failed|\*\*\*Failed|\*\*\*Timeout|\*\*\*Exception' "$log.run"; then
    status=1
    grep -vE '\[ RUN|\[       OK' "$log.run" | grep -E '^[0-9]+: .*(:[0-9]+: |ERROR|FAILED|Sanitizer|runtime error)|\*\*\*' | head -60
  fi
  grep -E '\*\*\*(Exception|Timeout)' "$log.run" | sed 's/.*/tests: 0 passed, 1 failed/' >>"$log"
  rm -f "$log.run"
  echo "   $((SECONDS - begin)) s"
}

run release all
ln -sfn build/release/kinema kinema
scripts/check-layout.sh build/release && echo "tests: 1 passed, 0 failed" >>"$log" || { echo "tests: 0 passed, 1 failed" >>"$log"; status=1; }
run debug labelled_golden -L golden
run clang labelled_golden -L golden
ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 run asan all -LE slow
TSAN_OPTIONS=halt_on_error=1 run tsan labelled_threads -L threads

awk '/^tests:/ { p += $2; f += $4 } END { printf "tests: %d passed, %d failed\n", p, f; exit f > 0 }' "$log" || status=1
exit $status
