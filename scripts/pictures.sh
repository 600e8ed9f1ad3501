#!/usr/bin/env bash
# Makes the pictures of the handbook anew: docs/pictures/. Each is a still of a scene of this repository, or what a study draws. Look at them before you commit them.
# Usage: pictures.sh [KINEMA [PATTERN]], by default ./kinema and all; a pattern, as of grep, makes those of the scenes that match.
set -eu
cd "$(dirname "$0")/.."
kinema=$(realpath "${1:-./kinema}")
pattern=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p docs/pictures

# still SCENE FRAME: docs/pictures/<name of the scene>.png
still() {
  local name
  grep -q "$pattern" <<<"$1" || return 0
  name=$(basename "$1" .lua)
  "$kinema" run "$1" -o "$work/$name" --frames "$2" --quiet >/dev/null
  "$kinema" render "$work/$name" -o "docs/pictures/$name.png" --frame "$2" --size 800x450 --samples 64 --quiet
}

# small SCENE FRAME [PREFIX [RUN OPTIONS]]: a smaller still, of at most 256 colours.
small() {
  local scene=$1 frame=$2 prefix=${3:-} name
  grep -q "$pattern" <<<"$scene" || return 0
  name=$(basename "$scene" .lua)
  shift $(($# < 3 ? $# : 3))
  "$kinema" run "$scene" -o "$work/$name" --frames "$frame" --quiet "$@" >/dev/null
  "$kinema" render "$work/$name" -o "$work/$name.png" --frame "$frame" --size 640x360 --samples "${samples:-24}" --quiet
  ffmpeg -nostdin -v error -y -i "$work/$name.png" -vf 'split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=bayer:bayer_scale=5' "docs/pictures/$prefix$name.png"
}

# fluid SCENE FRAME RADIUS: a still of finer particles than the scene's own, of more samples: light goes many ways through water.
fluid() { samples=64 small "$1" "$2" sph- --set "radius=$3"; }

sed -n '/^-- rain.lua/,/^```/p' docs/start.md | sed '/^```/d' >"$work/rain.lua" # the scene that start.md prints
still scenes/demo/demo.lua 49
still "$work/rain.lua" 34
still scenes/particles/three-balls.lua 40
still scenes/particles/incline.lua 52
small scenes/particles/fireworks.lua 126
small scenes/particles/helicopter.lua 122
small scenes/particles/leaves.lua 52
small scenes/particles/tornado.lua 120
samples=48 small scenes/particles/fountain.lua 80
small scenes/particles/drain.lua 120
small scenes/particles/pinwheel.lua 120
small scenes/particles/waterfall.lua 90
small scenes/particles/coyote.lua 53
small scenes/particles/shower.lua 45
small scenes/particles/hail.lua 100
small scenes/particles/snow.lua 120
small scenes/particles/spheres-in-box.lua 45
small scenes/particles/pile.lua 110
small scenes/particles/birds.lua 40
small scenes/particles/fish.lua 40
small scenes/particles/runners.lua 84
small scenes/particles/sprinkler.lua 60
small scenes/particles/vapour.lua 90
small scenes/particles/smoke.lua 90
small scenes/particles/dust.lua 44
small scenes/particles/embers.lua 110
small scenes/particles/grenade.lua 41
small scenes/particles/sandstorm.lua 70
small scenes/particles/exhaust.lua 56
small scenes/particles/galaxies.lua 165
small scenes/particles/orbits.lua 150
small scenes/particles/charges.lua 60
small scenes/particles/molecules.lua 75
small scenes/particles/mouse.lua 56
small scenes/particles/torture.lua 12
small scenes/particles/plummer.lua 60
small scenes/particles/springs.lua 55
samples=64 small scenes/particles/lava-lamp.lua 150
small scenes/particles/loops.lua 40
small scenes/particles/warp.lua 20
samples=40 small scenes/collision/shapes.lua 80
samples=48 small scenes/collision/terrain.lua 200
small scenes/collision/sorter.lua 130
small scenes/collision/bowl-mesh.lua 150
small scenes/rigid/wall.lua 23 rigid-
small scenes/rigid/racket.lua 58 rigid-
small scenes/rigid/feeder.lua 300 rigid-
small scenes/rigid/pool.lua 75 rigid-
small scenes/rigid/coins.lua 34 rigid-
small scenes/rigid/one-way.lua 130 rigid-
small scenes/rigid/clock.lua 60 rigid-
small scenes/rigid/car.lua 168 rigid-
small scenes/rigid/ragdolls.lua 45 rigid-
small scenes/rigid/wrecking-ball.lua 70 rigid-
small scenes/rigid/cradle.lua 44 rigid-
small scenes/rigid/tops.lua 22 rigid-
small scenes/rigid/race.lua 70 rigid-
small scenes/rigid/vase.lua 44 rigid-
small scenes/rigid/demolition.lua 96 rigid-
samples=48 small scenes/rigid/jet.lua 40 rigid-
small scenes/rigid/dominoes.lua 72 rigid-
small scenes/rigid/blocks.lua 62 rigid-
small scenes/rigid/galton.lua 480 rigid-
fluid scenes/sph/block.lua 7 0.005
fluid scenes/sph/double-dam.lua 17 0.007
samples=64 small scenes/sph/glass.lua 36 sph-
fluid scenes/sph/basin.lua 60 0.009
samples=64 small scenes/sph/honey.lua 60 sph-
fluid scenes/sph/oil.lua 60 0.006
fluid scenes/sph/boats.lua 60 0.014
fluid scenes/sph/wheel.lua 60 0.01
fluid scenes/sph/waves.lua 80 0.01
fluid scenes/sph/membrane.lua 18 0.008
fluid scenes/sph/rain.lua 40 0.004
fluid scenes/sph/melting.lua 23 0.008
fluid scenes/sph/castle.lua 40 0.006
samples=64 small scenes/sph/gas.lua 50 sph-
test -z "$pattern" || exit 0
"$kinema" run scenes/particles/ball-in-box.lua -o "$work/box" --quiet >/dev/null
"$kinema" plot "$work/box" -o docs/pictures/energy.svg
"$kinema" lab integrators -o "$work/lab" --quiet >/dev/null
for name in regions spring-1.0 orbits; do cp "$work/lab/$name.png" "docs/pictures/integrators-$name.png"; done
