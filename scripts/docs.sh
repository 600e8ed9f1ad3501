#!/usr/bin/env bash
# The handbook: doxygen and mkdocs into BUILD_DIR/../docs (build/docs), without network; any warning fails.
# Generated parts of docs/ are committed: docs/scene.md, and in other pages what stands between <!-- kinema help X --> or <!-- file X --> and <!-- end -->.
# This compares them; docs.sh --renew writes them. Usage: docs.sh [--renew] [BUILD_DIR]. Last line: "tests: N passed, M failed".
set -u
cd "$(dirname "$0")/.."
renew=no
[ "${1:-}" = --renew ] && { renew=yes; shift; }
build=${1:-build/release}
kinema=${KINEMA:-$build/kinema}
out=build/docs
passed=0 failed=0

check() {
  local name=$1
  shift
  if "$@" >"$out/log" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "scripts/docs.sh: $name: ERROR" >&2
    tail -n 40 "$out/log" >&2
  fi
}

# The page with its generated parts made anew.
fill() {
  local line skip=no
  while IFS= read -r line; do
    [ "$line" = "<!-- end -->" ] && skip=no
    [ $skip = yes ] && continue
    printf '%s\n' "$line"
    case $line in
      "<!-- kinema help "*) skip=yes; line=${line#<!-- kinema help }; echo '```text'; "$kinema" help "${line% -->}" || return 1; echo '```' ;;
      "<!-- file "*)
        skip=yes; line=${line#<!-- file }; line=${line% -->}
        echo '```'"${line##*.}" | sed 's/^```h$/```c/'; cat "docs/$line" || return 1; echo '```' ;;
    esac
  done <"$1"
}

rm -rf "$out"
mkdir -p "$out/src"
cp -r docs/pictures "$out/src/" 2>/dev/null
for page in docs/*.md; do check "$page is made" bash -c "$(declare -f fill); kinema='$kinema'; fill '$page' > '$out/src/$(basename "$page")'"; done
check "docs/scene.md is made" bash -c "'$build/kinema_handbook' > '$out/src/scene.md'"

for page in "$out"/src/*.md; do
  name=docs/$(basename "$page")
  if [ $renew = yes ]; then cmp -s "$page" "$name" || { cp "$page" "$name"; echo "renewed $name"; }
  else check "$name is stale: scripts/docs.sh --renew" diff -u "$name" "$page"; fi
done

version=$(sed -n 's/^project(kinema VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
check "doxygen without warnings" bash -c "(cat docs/Doxyfile; echo OUTPUT_DIRECTORY=$out/src; echo PROJECT_NUMBER=$version) | doxygen -"
check "mkdocs without warnings" mkdocs build --strict --quiet
for page in docs/pictures/*; do check "$page is below 300 KB" test "$(stat -c %s "$page")" -lt 307200; done
check "the pages load nothing from elsewhere" bash -c "! grep -rlE '(src|href)=\"(https?:)?//[^\"]*\.(js|css)' '$out/site'/*.html"

rm -f "$out/log"
[ $failed = 0 ] && echo "handbook: $PWD/$out/site/index.html"
echo "tests: $passed passed, $failed failed"
[ $failed = 0 ]
