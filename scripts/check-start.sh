#!/usr/bin/env bash
# Does what docs/start.md and README.md say, line by line, in an empty folder: every line that begins with ./kinema must succeed. Movies are cut to four frames.
# Scenes of the handbook, blocks of Lua that begin with their name ("-- crates.lua"), must run.
# Usage: check-start.sh [BUILD_DIR]. Last line: "tests: N passed, M failed".
set -u
cd "$(dirname "$0")/.."
page=$PWD/docs/start.md
readme=$PWD/README.md
handbook=$PWD/docs
scenes=$PWD/scenes
kinema=$(realpath "${1:-build/release}/kinema")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
ln -s "$kinema" kinema
ln -s "$scenes" scenes # scenes of the handbook name their meshes
sed -n '/^-- rain.lua/,/^```/p' "$page" | sed '/^```/d' >rain.lua
passed=0 failed=0

expect() { # NAME COMMAND...
  if "${@:2}" >log 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "scripts/check-start.sh: $1: ERROR" >&2
    tail -n 20 log >&2
  fi
}

while IFS= read -r line; do
  case $line in *.mp4*) line="$line --frames 0:3" ;; esac
  expect "$line" bash -c "$line"
done < <(grep '^\./kinema ' "$page")

sed -n '/^```lua/,/^```/p' "$readme" | sed '/^```/d' >bounce.lua
while IFS= read -r line; do
  case $line in *render*) line="$line --frames 0:3" ;; esac
  expect "README: $line" bash -c "$line"
done < <(sed -n 's/^ *\(\.\/kinema [^#]*[^# ]\).*/\1/p' "$readme")
expect "the README's scene has ten lines" test "$(wc -l <bounce.lua)" -le 10

for chapter in particles rigid sph collision; do
  mkdir -p "$chapter" && (cd "$chapter" && awk '/^```lua/ { getline; file = $1 == "--" ? $2 : "" } /^```$/ { file = "" } file != "" { print > file }' "$handbook/$chapter.md")
  for scene in "$chapter"/*.lua; do
    expect "docs/$chapter.md: $(basename "$scene")" ./kinema run "$scene" --frames 3 -o "out/$(basename "$scene")" --quiet
  done
done

state() { sed -n 's/.*"state_hash" *: *"\([0-9a-f]*\)".*/\1/p' "$1/manifest.json"; }
expect "the scene has ten lines" test "$(grep -vc '^ *--' rain.lua)" -le 10
for file in still.png rain.mp4 rain.svg counts.svg rain.csv out/more/stats.csv; do expect "$file is there" test -s "$file"; done
expect "the resumed run ends in the same state" test -n "$(state out/rain)" -a "$(state out/rain)" = "$(state out/parts)"
echo "tests: $passed passed, $failed failed"
[ $failed = 0 ]
