/* glob(3), its results a line each. */
#include <glob.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    glob_t found;
    size_t i;

    if (argc != 2 || glob(argv[1], 0, NULL, &found) != 0)
        return 1;
    for (i = 0; i < found.gl_pathc; i++)
        puts(found.gl_pathv[i]);
    return fflush(stdout) == 0 ? 0 : 1;
}
