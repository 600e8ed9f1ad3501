#!/usr/bin/env bash
# The house rules that a compiler does not check. Usage: check-layout.sh BUILD_DIR
#  1. A file includes only its own folder and folders above it in the list; domains never include each other.
#  2. Every external symbol is prefixed kin_.
#  3. The core (base to world) calls nothing outside libc, threads and itself: no libm, whose bits depend on the CPU.
#  4. Every folder of src has a README.
set -u
cd "$(dirname "$0")/.."
build=${1:-build/release}
status=0
complain() { echo "check-layout: $*" >&2; status=1; }

floors="base math numerics geometry collision system contact domains couple world io scene render"
floor_of() { local i=0 f; for f in $floors; do [ "$f" = "$1" ] && { echo $i; return; }; i=$((i + 1)); done; echo -1; }

while IFS=: read -r file include; do
  own=${file#src/}; own=${own%%/*}
  other=${include%%/*}
  [ "$other" = kinema ] && continue
  a=$(floor_of "$own"); b=$(floor_of "$other")
  [ "$b" -lt 0 ] && { complain "$file: \"$include\" is in no folder of the house"; continue; }
  [ "$b" -gt "$a" ] && complain "$file: \"$include\" is below it ($own may not include $other)"
  if [ "$own" = domains ] && [ "$other" = domains ]; then
    mine=${file#src/domains/}; theirs=${include#domains/}
    [ "${mine%%/*}" = "${theirs%%/*}" ] || complain "$file: \"$include\" is another domain"
  fi
done < <(grep -rnoE '^#include "[^"]+"' src --include='*.c' --include='*.h' | sed -E 's/^([^:]+):[0-9]+:#include "([^"]+)"/\1:\2/')

for folder in $(find src -mindepth 1 -type d); do
  ls "$folder"/*.c "$folder"/*.h >/dev/null 2>&1 || continue
  [ -e "$folder/README.md" ] || complain "$folder has no README.md"
done

library=$build/libkinema.a
nm -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 { print $3 }' | grep -vE '^(kin_|__wrap_pow$|__odr_asan|__asan|__tsan)' | sort -u | while read -r symbol; do
  echo "check-layout: symbol $symbol has no kin_ prefix" >&2
  exit 1
done || status=1

allowed='^(kin_|mem(cpy|move|set|cmp|chr)$|str(nlen|len|cmp|ncmp|chr|rchr|str|toul|toull|tod|tol|pbrk|spn|cspn|ncpy)$|v?snprintf$|__(v?s?n?printf|memcpy|memset|memmove|strncpy|strcat|strcpy)_chk$|__v?snprintf_chk$|__isoc(99|23)_|sscanf$|aligned_alloc$|free$|malloc$|abort$|pthread_|sched_|sigfillset$|clock_gettime$|sysconf$|f(open|close|gets|puts|printf|read|write|lush)$|getline$|stderr$|__stack_chk_fail$|__u?divti3$|__float(un)?tidf$|__errno_location$|__tls_get_addr$|_GLOBAL_OFFSET_TABLE_$|__ctype_b_loc$|open$|close$|read$)'
core=$(find "$build/CMakeFiles" -path '*kinema_core*' -name '*.o')
nm -u $core | awk 'NF == 2 { print $2 }' | sort -u | grep -vE "$allowed" | while read -r symbol; do
  echo "check-layout: the core calls $symbol" >&2
  exit 1
done || status=1

[ $status = 0 ] && echo "check-layout: clean"
exit $status
