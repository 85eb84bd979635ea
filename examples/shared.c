/* SPDX-License-Identifier: MIT */
/*
 * One closer, many readers: a table that is replaced while threads read it, without a lock on the
 * readers' side.
 */
#include <isthmus/isthmus.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define ROWS 1000
#define TABLES 200
#define READERS 3

typedef struct table {
    ist_arena arena;
    ist_segment rows;
} table;

/* All tables that there will be; `newest` says which one is current. */
static table tables[TABLES];
static atomic_size_t newest;
static atomic_int finished;

static void publish(size_t number)
{
    table *made = &tables[number];
    IST_CHECK(ist_arena_open_shared(&made->arena));
    IST_CHECK(
        ist_arena_allocate(made->arena, ROWS * sizeof(double), _Alignof(double), &made->rows));
    for (size_t i = 0; i < ROWS; i++)
        IST_CHECK(ist_set_f64(made->rows, i * sizeof(double), (double)number));
    atomic_store(&newest, number);
}

/*
 * Every row of a table has its number, so the sum says whether what was read was one table and
 * whole.
 */
static int is_whole(const table *read, size_t number)
{
    ist_status status;
    double sum = 0;
    IST_WITH_READ (const double, row, read->rows, 0, ROWS, status) {
        for (size_t i = 0; i < ROWS; i++)
            sum += row[i];
    }
    /* Closed: the table was replaced before we came, which is no error here. */
    return status == IST_E_CLOSED || (status == IST_OK && sum == (double)number * ROWS);
}

static void *read_tables(void *ret_wrong)
{
    size_t *wrong = ret_wrong;
    while (!atomic_load(&finished)) {
        size_t number = atomic_load(&newest);
        *wrong += !is_whole(&tables[number], number);
    }
    return NULL;
}

int main(void)
{
    pthread_t readers[READERS];
    size_t wrong[READERS] = { 0 }, all_wrong = 0;
    publish(0);
    for (size_t i = 0; i < READERS; i++)
        if (pthread_create(&readers[i], NULL, read_tables, &wrong[i]) != 0)
            return 1;
    for (size_t number = 1; number < TABLES; number++) {
        publish(number);
        /* Held: a reader is in the middle of the old table. It will not be for long. */
        IST_CHECK(ist_arena_close_within(tables[number - 1].arena, UINT64_C(10000000000)));
    }
    atomic_store(&finished, 1);
    for (size_t i = 0; i < READERS; i++) {
        pthread_join(readers[i], NULL);
        all_wrong += wrong[i];
    }
    IST_CHECK(ist_arena_close(tables[TABLES - 1].arena));

    double value = -1;
    ist_status status = ist_get_f64(tables[0].rows, 8, &value);
    printf("%zu reads saw something else than one whole table\n", all_wrong);
    printf("%s: %s\n", ist_status_name(status), ist_last_error());
    return 0;
}
