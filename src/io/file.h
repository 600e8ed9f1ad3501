/* file.h - whole files. What is written is written beside and renamed, so a crash or a full disk never leaves half a file under its real name.
 * The folder is synced after a rename, so that the new name survives too. A crash may leave the file beside, NAME.tmp.PID: readers never look at it, kin_folder_remove sweeps it. */
#pragma once
#include "kinema/base.h"
#include <stdio.h>

#define KIN_PATH_SIZE 4096

/* *data is terminated by a zero byte beyond size; released with kin_free(allocator, data, size + 1). More than max_bytes is KIN_ERROR_LIMIT. */
kin_result kin_file_read(const kin_allocator* allocator, const char* path, size_t max_bytes, char** data, size_t* size, kin_error* error);
kin_result kin_file_write(const char* path, const void* data, size_t size, kin_error* error);
bool kin_file_exists(const char* path);
kin_result kin_folder_make(const char* path, kin_error* error); /* with parents */
kin_result kin_folder_rename(const char* from, const char* to, kin_error* error);
/* dir/name into out; false if it does not fit. */
bool kin_path_join(char* out, size_t size, const char* dir, const char* name);
/* The same for out[KIN_PATH_SIZE], with an error that says so. */
kin_result kin_path_make(char* out, const char* dir, const char* name, kin_error* error);

/* A file written piece by piece: print to stream, then end. keep false, or any write that failed, leaves nothing behind. */
typedef struct kin_file_out {
    FILE* stream;
    char path[KIN_PATH_SIZE];
    char beside[KIN_PATH_SIZE];
} kin_file_out;
kin_result kin_file_begin(kin_file_out* out, const char* path, kin_error* error);
kin_result kin_file_end(kin_file_out* out, bool keep, kin_error* error);

/* A file that one process at a time has, until it unlocks it or ends, however it ends. Held: KIN_ERROR_FILE, naming the holder and since when. */
kin_result kin_file_lock(const char* path, int* lock, kin_error* error);
void kin_file_unlock(const char* path, int lock); /* lock < 0 is fine */

/* True for the names of files that a crash left beside. */
bool kin_file_is_beside(const char* name);
typedef bool kin_name_fn(void* context, const char* name);
/* Unlinks the files of a folder that `chosen` (NULL: none) picks, and those left beside. A missing folder is fine. */
kin_result kin_folder_remove(const char* folder, kin_name_fn* chosen, void* context, kin_error* error);
/* Calls fn for every name in the folder but . and .., in any order, until it returns false. A missing folder has none. */
kin_result kin_folder_each(const char* folder, kin_name_fn* fn, void* context, kin_error* error);
