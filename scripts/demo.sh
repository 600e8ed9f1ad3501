#!/usr/bin/env bash
# Simulates the showcase scene, renders it into a movie and says where it is.
set -eu
cd "$(dirname "$0")/.."
./kinema run scenes/showcase/showcase.lua -o out/showcase
./kinema render out/showcase -o out/showcase/movie.mp4 --samples 3 --bounces 1
echo "movie: $PWD/out/showcase/movie.mp4"
