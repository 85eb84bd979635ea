/* SPDX-License-Identifier: MIT */
/* Gives every file of the folders that it is called with to a fuzz target, in the order of their names. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_file(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    static uint8_t data[1 << 20];
    if (file == NULL) {
        perror(path);
        return 1;
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    /* A copy of its own size, for tools that watch its end. */
    uint8_t *exact = malloc(size + (size == 0));
    if (exact == NULL)
        return 1;
    for (size_t i = 0; i < size; i++)
        exact[i] = data[i];
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

int main(int count, char **arguments)
{
    int replayed = 0;
    for (int i = 1; i < count; i++) {
        struct dirent **entries;
        int found = scandir(arguments[i], &entries, is_file, alphasort);
        if (found < 0) {
            perror(arguments[i]);
            return 1;
        }
        for (int j = 0; j < found; j++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", arguments[i], entries[j]->d_name);
            free(entries[j]);
            if (replay_file(path) != 0)
                return 1;
            replayed++;
        }
        free(entries);
    }
    printf("%d inputs\n", replayed);
    return replayed == 0;
}
