/* loop.c - falling particles as one would write them first. */
#include "bench/loop.h"
#include "base/clock.h"
#include "bench/stage.h"
#include <stdlib.h>

static void step_axis(size_t n, double g, double drag, double wind, double h, const double* restrict inv_mass, double* restrict x, double* restrict v)
{
    for (size_t i = 0; i < n; ++i) {
        double a = g + drag * inv_mass[i] * (wind - v[i]);
        v[i] += h * a;
        x[i] += h * v[i];
    }
}

void kin_loop_step(kin_loop_state* s, kin_vec3 gravity, double drag, kin_vec3 wind, double h)
{
    step_axis(s->count, gravity.x, drag, wind.x, h, s->inv_mass, s->x[0], s->v[0]);
    step_axis(s->count, gravity.y, drag, wind.y, h, s->inv_mass, s->x[1], s->v[1]);
    step_axis(s->count, gravity.z, drag, wind.z, h, s->inv_mass, s->x[2], s->v[2]);
}

double kin_loop_time(size_t count, int steps)
{
    double times[KIN_BENCH_REPETITIONS], *room = malloc(7 * count * sizeof *room);
    if (room == NULL) return 0;
    kin_loop_state s = {count, {room, room + count, room + 2 * count}, {room + 3 * count, room + 4 * count, room + 5 * count}, room + 6 * count};
    for (size_t i = 0; i < 7 * count; ++i) room[i] = 1 + 1e-6 * (double)i;
    for (int i = -1; i < KIN_BENCH_REPETITIONS; ++i) { /* the first is the warm-up */
        double began = kin_clock_seconds();
        for (int k = 0; k < steps; ++k) kin_loop_step(&s, (kin_vec3){0, -9.81, 0}, 0.1, (kin_vec3){2, 0, 1}, 1.0 / 60);
        if (i >= 0) times[i] = (kin_clock_seconds() - began) / steps;
    }
    free(room);
    return kin_bench_median(times, KIN_BENCH_REPETITIONS);
}
