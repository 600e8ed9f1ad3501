/* cache.h - frames on disk. One zstd-compressed, checksummed file a frame, frames/000123.kf; an array over 4 KB that is unchanged since an earlier
 * frame is a file of its own, frames/arrays/<hash>.ka, written once. Readers reject cut, corrupt and foreign files with a clear message.
 * A frame that was read is what frame.h says (see frame_check.h); its floats may be anything. */
#pragma once
#include "kinema/base.h"
#include "kinema/frame.h"

typedef struct kin_cache kin_cache;

/* folder is DIR/frames; created if missing. from_frame: frames at or past it are removed (a resumed or fresh run). */
kin_result kin_cache_create(const kin_allocator* allocator, const char* folder, uint64_t from_frame, kin_cache** out, kin_error* error);
kin_result kin_cache_write(kin_cache* cache, const kin_frame* frame, kin_error* error);

kin_result kin_cache_open(const kin_allocator* allocator, const char* folder, kin_cache** out, kin_error* error);
uint64_t kin_cache_frame_count(const kin_cache* cache); /* frames 0 .. count - 1 */
/* The frame is the cache's, until the next read or close. */
kin_result kin_cache_read(kin_cache* cache, uint64_t index, const kin_frame** out, kin_error* error);
void kin_cache_close(kin_cache* cache); /* both kinds; NULL is fine */
