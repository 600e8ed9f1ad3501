/** @file base.h
 * Results, errors, memory, logging: what every other header stands on. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** @def KIN_EXTERN
 * C linkage, in C++ too. */
/** @def KIN_API
 * Seen outside the shared library. */
/** @def KIN_PRINTF
 * Lets the compiler check a format against its arguments. */
#ifdef __cplusplus
#define KIN_EXTERN extern "C"
#else
#define KIN_EXTERN extern
#endif
#if defined(__GNUC__)
#define KIN_API KIN_EXTERN __attribute__((visibility("default")))
#define KIN_PRINTF(format_index, first_index) __attribute__((format(printf, format_index, first_index)))
#else
#define KIN_API KIN_EXTERN
#define KIN_PRINTF(format_index, first_index)
#endif

#define KIN_VERSION_MAJOR 0 /**< changes when programs must */
#define KIN_VERSION_MINOR 1 /**< changes when something is added */
#define KIN_VERSION_PATCH 0 /**< changes when something is mended */

/** "0.1.0" */
KIN_API const char* kin_version(void);

/** What became of a call that meets the world outside: files, defs, memory. */
typedef enum kin_result {
    KIN_OK = 0,         /**< done */
    KIN_ERROR_MEMORY,   /**< an allocation failed, or the job would not fit this machine */
    KIN_ERROR_ARGUMENT, /**< a value in a def or a scene is out of its range */
    KIN_ERROR_SYNTAX,   /**< a scene file does not parse, or its script failed */
    KIN_ERROR_FILE,     /**< a file could not be opened, read or written */
    KIN_ERROR_FORMAT,   /**< a file is cut, corrupt, or not what it should be */
    KIN_ERROR_LIMIT,    /**< a guard against runaway input bit: size, nesting, instructions */
    KIN_ERROR_MISMATCH, /**< two things that belong together do not: checkpoint and scene */
    KIN_ERROR_NUMERICS, /**< a step failed past its cap of intervals */
    KIN_ERROR_STOPPED,  /**< the caller asked to stop */
} kin_result;

/** What went wrong, where, and how to mend it. Optional in every call; {0} is "no error". */
typedef struct kin_error {
    kin_result code;   /**< the same as the call returns */
    char message[512]; /**< one sentence, no full stop, no newline */
    char where[512];   /**< file:line:column or a path such as systems[0].particles[3].mass; may be empty */
} kin_error;

/** "where: message", or the message alone. Truncates; always terminates. */
KIN_API void kin_error_text(const kin_error* error, char* text, size_t size);
/** The name of a result, e.g. "out of memory". */
KIN_API const char* kin_result_name(kin_result result);

/** Where memory comes from. Sizes are handed back at release, so that an allocator needs no headers.
 * Called from any thread that runs a chunk: it must bear that. */
typedef struct kin_allocator {
    void* context; /**< handed to both calls */
    /** NULL on failure. alignment is a power of two, at least 16. size > 0. */
    void* (*allocate)(void* context, size_t size, size_t alignment);
    void (*release)(void* context, void* memory, size_t size); /**< size as it was asked for */
} kin_allocator;

/** malloc and free. */
KIN_API kin_allocator kin_allocator_default(void);

/** How much a message matters. */
typedef enum kin_log_level { KIN_LOG_DEBUG, KIN_LOG_INFO, KIN_LOG_WARNING } kin_log_level;

/** The library never prints: what it has to say goes here. */
typedef struct kin_log {
    void* context;                                                          /**< handed to write */
    void (*write)(void* context, kin_log_level level, const char* message); /**< NULL: nobody listens */
} kin_log;

/** Called on a caller's bug (stale id, NULL world). Return true to go on, false to abort. */
typedef bool kin_assert_fn(const char* condition, const char* file, int line);
/** Process wide, as it serves calls that have no world. NULL restores the default, which aborts. */
KIN_API void kin_set_assert_handler(kin_assert_fn* handler);

/** One chunk of a parallel loop. worker is below the scheduler's worker_count and names scratch only. */
typedef void kin_chunk_fn(void* argument, int chunk, int worker);

/** Who runs the chunks. A host with its own threads fills this in; see kin_world_def. */
typedef struct kin_scheduler {
    void* context;    /**< handed to run */
    int worker_count; /**< at least 1; the calling thread counts */
    /** Runs fn for every chunk in [0, chunk_count) and returns when all are done.
     * Chunks are independent: any order, any thread, any worker number not in use by another thread. */
    void (*run)(void* context, kin_chunk_fn* fn, void* argument, int chunk_count);
} kin_scheduler;
