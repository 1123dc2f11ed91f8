/* popen(3) and a copy, the plain way: what a shell command's output costs without JSON around it. */
#include <stdio.h>

int main(int argc, char **argv)
{
    char buffer[4096];
    size_t count;
    FILE *command;

    if (argc != 2 || !(command = popen(argv[1], "r")))
        return 2;
    while ((count = fread(buffer, 1, sizeof buffer, command)) > 0)
        if (fwrite(buffer, 1, count, stdout) != count)
            return 1;
    return pclose(command) == 0 && fflush(stdout) == 0 ? 0 : 1;
}
