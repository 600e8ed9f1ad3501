#!/usr/bin/env bash
# Installs the Debian packages that are missing: as root, through sudo, or by saying what to type.
set -eu
packages="cmake ninja-build gcc g++ clang libclang-rt-14-dev pkg-config make binutils
  libcmocka-dev liblua5.4-dev libjansson-dev libzstd-dev libxxhash-dev libembree-dev libpng-dev libcairo2-dev
  ffmpeg fonts-dejavu-core doxygen mkdocs libbullet-dev libccd-dev libode-dev libmujoco-dev"

missing=""
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then as=""; elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as="sudo"; else
  echo "kinema needs some Debian packages. As root, type:" >&2
  echo "  apt-get update && apt-get install -y$missing" >&2
  exit 1
fi
echo "setup: installing$missing" >&2
$as apt-get update -qq
DEBIAN_FRONTEND=noninteractive $as apt-get install -y -qq --no-install-recommends $missing >/dev/null
