#!/usr/bin/env bash
# Simulates the demo scene, renders it into a movie and says where it is.
set -eu
cd "$(dirname "$0")/.."
./kinema run scenes/demo/demo.lua -o out/demo
./kinema render out/demo -o out/demo/movie.mp4 --samples 3 --bounces 1
echo "movie: $PWD/out/demo/movie.mp4"
