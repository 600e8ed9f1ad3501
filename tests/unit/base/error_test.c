#include "base/error.h"
#include "support/test.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void a_failure_is_one_line(test* t)
{
    kin_error e;
    kin_result r = kin_fail(&e, KIN_ERROR_ARGUMENT, "bodies[3].radius", "%g must be > 0 (m)", -0.1);
    EQUAL(t, r, KIN_ERROR_ARGUMENT);
    EQUAL(t, e.code, KIN_ERROR_ARGUMENT);
    TEXT(t, e.message, "-0.1 must be > 0 (m)");
    TEXT(t, e.where, "bodies[3].radius");
    char text[100];
    kin_error_text(&e, text, sizeof text);
    TEXT(t, text, "bodies[3].radius: -0.1 must be > 0 (m)");
    kin_error_text(&e, text, 10);
    TEXT(t, text, "bodies[3]");
    text[0] = 'x';
    kin_error_text(&e, text, 0);
    EQUAL(t, text[0], 'x');
}

static void nobody_need_listen(test* t)
{
    CHECK(t, kin_fail(NULL, KIN_ERROR_FILE, "a", "b") == KIN_ERROR_FILE);
    CHECK(t, kin_fail_memory(NULL, "a", 1) == KIN_ERROR_MEMORY);
    kin_log_text(NULL, KIN_LOG_INFO, "unheard");
    kin_log_text(&(kin_log){0}, KIN_LOG_INFO, "unheard");
}

static void an_error_can_be_reworded_from_itself(test* t)
{
    kin_error e;
    kin_fail(&e, KIN_ERROR_FILE, "inner", "no such file");
    kin_fail(&e, e.code, e.where, "could not load: %s", e.message);
    TEXT(t, e.message, "could not load: no such file");
    TEXT(t, e.where, "inner");
    kin_fail(&e, KIN_ERROR_FILE, NULL, "plain");
    char text[50];
    kin_error_text(&e, text, sizeof text);
    TEXT(t, text, "plain");
}

static void long_texts_are_cut(test* t)
{
    char big[2000];
    memset(big, 'x', sizeof big - 1);
    big[sizeof big - 1] = 0;
    kin_error e;
    kin_fail(&e, KIN_ERROR_FILE, big, "%s", big);
    EQUAL(t, strlen(e.message), sizeof e.message - 1);
    EQUAL(t, strlen(e.where), sizeof e.where - 1);
}

static void memory_errors_say_how_much(test* t)
{
    kin_error e;
    kin_fail_memory(&e, "particles", 100);
    TEXT(t, e.message, "out of memory: particles needs 100 bytes");
    kin_fail_memory(&e, "particles", 20480);
    TEXT(t, e.message, "out of memory: particles needs 20 KiB");
    kin_fail_memory(&e, "particles", (size_t)30 << 30);
    TEXT(t, e.message, "out of memory: particles needs 30 GiB");
    kin_fail_memory(&e, "particles", SIZE_MAX);
    HAS(t, e.message, "too big");
    EQUAL(t, e.code, KIN_ERROR_MEMORY);
}

static void every_result_has_a_name(test* t)
{
    for (int i = KIN_OK; i <= KIN_ERROR_STOPPED; ++i) {
        CHECK(t, strcmp(kin_result_name((kin_result)i), "unknown result") != 0);
        for (int k = 0; k < i; ++k) CHECK(t, strcmp(kin_result_name((kin_result)i), kin_result_name((kin_result)k)) != 0);
    }
    TEXT(t, kin_result_name(KIN_ERROR_MEMORY), "out of memory");
    TEXT(t, kin_result_name((kin_result)99), "unknown result");
}

static char last_condition[100];
static int last_line;

static bool remember(const char* condition, const char* file, int line)
{
    (void)file;
    strncpy(last_condition, condition, sizeof last_condition - 1);
    last_line = line;
    return true;
}

static void the_assert_handler_hears_and_may_go_on(test* t)
{
    kin_set_assert_handler(remember);
    int one = 1;
    KIN_ASSERT(one == 1);
    TEXT(t, last_condition, "");
    KIN_ASSERT(one == 2);
    EQUAL(t, last_line, __LINE__ - 1);
    TEXT(t, last_condition, "one == 2");
    kin_set_assert_handler(NULL);
}

static bool refuse(const char* condition, const char* file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

/* What a child that fails an assert dies of, and what it wrote to stderr. */
static int death_of_child(kin_assert_fn* handler, char* said, size_t size)
{
    int pipes[2];
    if (pipe(pipes) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL); /* cmocka and sanitizers catch it */
        dup2(pipes[1], 2);
        kin_set_assert_handler(handler);
        KIN_ASSERT(2 < 1);
        _exit(0);
    }
    close(pipes[1]);
    ssize_t length = read(pipes[0], said, size - 1);
    said[length > 0 ? length : 0] = 0;
    close(pipes[0]);
    int status;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void default_and_refused_asserts_abort(test* t)
{
    char said[200];
    CHECK(t, death_of_child(NULL, said, sizeof said) == SIGABRT);
    HAS(t, said, "2 < 1 is false");
    HAS(t, said, "error_test.c");
    CHECK(t, death_of_child(refuse, said, sizeof said) == SIGABRT);
    TEXT(t, said, "");
}

static void keep_line(void* context, kin_log_level level, const char* message)
{
    char* line = context;
    line[0] = (char)('0' + level);
    strncpy(line + 1, message, 90);
}

static void log_lines_are_formatted(test* t)
{
    char line[100] = {0};
    kin_log log = {line, keep_line};
    kin_log_text(&log, KIN_LOG_WARNING, "step %d took %s", 3, "long");
    TEXT(t, line, "2step 3 took long");
}

TEST_MAIN("base/error", TEST(a_failure_is_one_line), TEST(nobody_need_listen), TEST(an_error_can_be_reworded_from_itself), TEST(long_texts_are_cut),
          TEST(memory_errors_say_how_much), TEST(every_result_has_a_name), TEST(the_assert_handler_hears_and_may_go_on),
          TEST(default_and_refused_asserts_abort), TEST(log_lines_are_formatted))
