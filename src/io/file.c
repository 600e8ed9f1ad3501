/* file.c - whole files, read with a limit and written beside, and the folders they live in. */
#include "io/file.h"
#include "base/alloc.h"
#include "base/error.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static kin_result fail_errno(kin_error* error, const char* path, const char* verb)
{
    return kin_fail(error, KIN_ERROR_FILE, path, "cannot %s: %s", verb, strerror(errno));
}

/* ---- paths ---- */

bool kin_path_join(char* out, size_t size, const char* dir, const char* name)
{
    size_t length = strlen(dir);
    const char* slash = length == 0 || dir[length - 1] == '/' ? "" : "/";
    int written = snprintf(out, size, "%s%s%s", dir, slash, name);
    return written >= 0 && (size_t)written < size;
}

kin_result kin_path_make(char* out, const char* dir, const char* name, kin_error* error)
{
    if (kin_path_join(out, KIN_PATH_SIZE, dir, name)) return KIN_OK;
    return kin_fail(error, KIN_ERROR_FILE, name, "the path of its folder is too long");
}

/* ---- reading ---- */

typedef struct buffer {
    char* data;
    size_t size, capacity;
} buffer;

static kin_result resize(const kin_allocator* allocator, buffer* b, size_t capacity, kin_error* error)
{
    char* moved = kin_alloc(allocator, capacity);
    if (moved == NULL) return kin_fail_memory(error, "a file", capacity);
    if (b->size > 0) memcpy(moved, b->data, b->size);
    kin_free(allocator, b->data, b->capacity);
    b->data = moved;
    b->capacity = capacity;
    return KIN_OK;
}

/* A byte of room is always left, so that the end of a file of known size is seen without growing. */
static kin_result read_all(const kin_allocator* allocator, int file, const char* path, size_t max_bytes, buffer* b, kin_error* error)
{
    for (;;) {
        if (b->size > max_bytes) return kin_fail(error, KIN_ERROR_LIMIT, path, "the file is larger than %zu bytes", max_bytes);
        if (b->size == b->capacity) {
            kin_result result = resize(allocator, b, 2 * b->capacity, error);
            if (result != KIN_OK) return result;
        }
        ssize_t count = read(file, b->data + b->size, b->capacity - b->size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail_errno(error, path, "read");
        if (count == 0) return KIN_OK;
        b->size += (size_t)count;
    }
}

static kin_result read_open(const kin_allocator* allocator, int file, const char* path, size_t max_bytes, buffer* b, kin_error* error)
{
    struct stat info;
    if (fstat(file, &info) != 0) return fail_errno(error, path, "read");
    size_t expected = S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
    if (expected > max_bytes) return kin_fail(error, KIN_ERROR_LIMIT, path, "the file has %zu bytes, more than %zu", expected, max_bytes);
    kin_result result = resize(allocator, b, expected + 1, error);
    if (result == KIN_OK) result = read_all(allocator, file, path, max_bytes, b, error);
    if (result == KIN_OK && b->capacity != b->size + 1) result = resize(allocator, b, b->size + 1, error);
    return result;
}

kin_result kin_file_read(const kin_allocator* allocator, const char* path, size_t max_bytes, char** data, size_t* size, kin_error* error)
{
    *data = NULL;
    *size = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return fail_errno(error, path, "open");
    buffer b = {0};
    kin_result result = read_open(allocator, file, path, max_bytes, &b, error);
    close(file);
    if (result != KIN_OK) {
        kin_free(allocator, b.data, b.capacity);
        return result;
    }
    b.data[b.size] = 0;
    *data = b.data;
    *size = b.size;
    return KIN_OK;
}

bool kin_file_exists(const char* path) { return access(path, F_OK) == 0; }

/* ---- writing ---- */

kin_result kin_file_begin(kin_file_out* out, const char* path, kin_error* error)
{
    *out = (kin_file_out){0};
    char name[64];
    snprintf(name, sizeof name, ".tmp.%ld", (long)getpid());
    if (strlen(path) + strlen(name) >= KIN_PATH_SIZE) return kin_fail(error, KIN_ERROR_FILE, path, "the path is too long");
    strcpy(out->path, path);
    strcpy(out->beside, path);
    strcat(out->beside, name);
    out->stream = fopen(out->beside, "we");
    return out->stream != NULL ? KIN_OK : fail_errno(error, path, "write");
}

/* The bytes are on the disk before they get their name: a rename that outlives its data would be a half file. */
static bool finish(kin_file_out* out)
{
    bool good = !ferror(out->stream) && fflush(out->stream) == 0 && fsync(fileno(out->stream)) == 0;
    int reason = errno != 0 ? errno : EIO;
    bool closed = fclose(out->stream) == 0;
    if (!good) errno = reason;
    return good && closed;
}

/* A new name is on the disk when its folder is. Where folders cannot be synced (some network disks), the system does what it does. */
static void sync_folder_of(const char* path)
{
    char folder[KIN_PATH_SIZE];
    const char* slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path), slash == NULL ? "." : path);
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    (void)fsync(file);
    close(file);
}

kin_result kin_file_end(kin_file_out* out, bool keep, kin_error* error)
{
    kin_result result = KIN_OK;
    bool good = finish(out);
    if (keep && (!good || rename(out->beside, out->path) != 0)) result = fail_errno(error, out->path, "write");
    if (keep && result == KIN_OK) sync_folder_of(out->path);
    if (!keep || result != KIN_OK) unlink(out->beside);
    out->stream = NULL;
    return result;
}

kin_result kin_file_write(const char* path, const void* data, size_t size, kin_error* error)
{
    kin_file_out out;
    kin_result result = kin_file_begin(&out, path, error);
    if (result != KIN_OK) return result;
    if (size > 0 && fwrite(data, 1, size, out.stream) != size) {
        result = fail_errno(error, path, "write");
        kin_file_end(&out, false, NULL);
        return result;
    }
    return kin_file_end(&out, true, error);
}

/* ---- locks ---- */

static void read_holder(int file, char* text, size_t size)
{
    ssize_t count = pread(file, text, size - 1, 0);
    text[count > 0 ? count : 0] = 0;
    text[strcspn(text, "\n")] = 0;
}

/* The file may have been removed between open and lock: then another one has its name. */
static bool is_named(int file, const char* path)
{
    struct stat own, named;
    return fstat(file, &own) == 0 && stat(path, &named) == 0 && own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

static void write_holder(int file)
{
    char text[100], when[40] = "";
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL) strftime(when, sizeof when, "%Y-%m-%d %H:%M:%S UTC", &parts);
    int length = snprintf(text, sizeof text, "process %ld since %s\n", (long)getpid(), when);
    if (ftruncate(file, 0) == 0) (void)!pwrite(file, text, (size_t)length, 0);
}

kin_result kin_file_lock(const char* path, int* lock, kin_error* error)
{
    *lock = -1;
    for (;;) {
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file < 0) return fail_errno(error, path, "lock");
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            char holder[100];
            read_holder(file, holder, sizeof holder);
            close(file);
            return kin_fail(error, KIN_ERROR_FILE, path, "locked by %s", holder[0] != 0 ? holder : "another process");
        }
        if (is_named(file, path)) { /* a disk that knows no locks gets by without */
            write_holder(file);
            *lock = file;
            return KIN_OK;
        }
        close(file);
    }
}

void kin_file_unlock(const char* path, int lock)
{
    if (lock < 0) return;
    unlink(path);
    close(lock);
}

/* ---- folders ---- */

static bool is_folder(const char* path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool make_one(const char* path)
{
    if (mkdir(path, 0777) == 0) {
        sync_folder_of(path);
        return true;
    }
    int reason = errno;
    if (is_folder(path)) return true;
    errno = reason;
    return false;
}

kin_result kin_folder_make(const char* path, kin_error* error)
{
    char part[KIN_PATH_SIZE];
    size_t length = strlen(path);
    if (length >= sizeof part) return kin_fail(error, KIN_ERROR_FILE, path, "the path is too long");
    for (size_t i = 1; i <= length; ++i) {
        if (path[i] != '/' && path[i] != 0) continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (!make_one(part)) return fail_errno(error, part, "make this folder");
    }
    return KIN_OK;
}

kin_result kin_folder_rename(const char* from, const char* to, kin_error* error)
{
    if (rename(from, to) != 0) return fail_errno(error, from, "rename");
    sync_folder_of(to);
    return KIN_OK;
}

bool kin_file_is_beside(const char* name)
{
    const char* mark = strstr(name, ".tmp.");
    if (mark == NULL || mark == name) return false;
    const char* digits = mark + strlen(".tmp.");
    return digits[0] != 0 && digits[strspn(digits, "0123456789")] == 0;
}

kin_result kin_folder_each(const char* folder, kin_name_fn* fn, void* context, kin_error* error)
{
    DIR* dir = opendir(folder);
    if (dir == NULL) return errno == ENOENT ? KIN_OK : fail_errno(error, folder, "list this folder");
    for (struct dirent* entry; (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (!fn(context, entry->d_name)) break;
    }
    closedir(dir);
    return KIN_OK;
}

typedef struct removal {
    const char* folder;
    kin_name_fn* chosen;
    void* context;
    kin_error* error;
    kin_result result;
} removal;

static bool remove_one(void* context, const char* name)
{
    removal* r = context;
    if (!kin_file_is_beside(name) && (r->chosen == NULL || !r->chosen(r->context, name))) return true;
    char path[KIN_PATH_SIZE];
    r->result = kin_path_make(path, r->folder, name, r->error);
    if (r->result == KIN_OK && unlink(path) != 0 && errno != ENOENT) r->result = fail_errno(r->error, path, "remove");
    return r->result == KIN_OK;
}

kin_result kin_folder_remove(const char* folder, kin_name_fn* chosen, void* context, kin_error* error)
{
    removal r = {folder, chosen, context, error, KIN_OK};
    kin_result result = kin_folder_each(folder, remove_one, &r, error);
    return result != KIN_OK ? result : r.result;
}
