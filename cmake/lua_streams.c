/* lua_streams.c - part of libkinema.so alone. Debian's liblua5.4.a is built for programs: it reads stdin, stdout and stderr as if they lay
 * beside it, which a shared library may not. So the copy that goes in here knows them by these names; they are filled when the library is
 * loaded. Scenes have no way to reach them: print and io are not in the sandbox. */
#include <stdio.h>

extern FILE *kin_lua_stdin, *kin_lua_stdout, *kin_lua_stderr;
FILE *kin_lua_stdin, *kin_lua_stdout, *kin_lua_stderr;

__attribute__((constructor)) static void open_streams(void)
{
    kin_lua_stdin = stdin;
    kin_lua_stdout = stdout;
    kin_lua_stderr = stderr;
}
