/* SPDX-License-Identifier: MIT */
/* What the bystanders of ConcurrentClose share in all subjects. */
#include "tables/concurrent_close.h"

#include <string.h>

#include "harness/params.h"

#define MAX_RATE 1000000

unsigned char concurrent_bytes[CONCURRENT_BYTES];

void concurrent_fill(void)
{
    memset(concurrent_bytes, 3, sizeof concurrent_bytes);
}

int concurrent_rate(const char *params, uint64_t *ret_rate, int *ret_none)
{
    struct bench_span rate = bench_params_find(params, "rate");
    *ret_none = bench_span_is(rate, "none");
    *ret_rate = bench_params_number(params, "rate", MAX_RATE);
    return *ret_none || *ret_rate != 0 || bench_span_is(rate, "flat");
}

void concurrent_unrelated(void *argument, const struct bench_company *company)
{
    int64_t *wrong = argument;
    while (bench_company_goes_on(company)) {
        if (concurrent_sum(concurrent_bytes) != CONCURRENT_SUM)
            *wrong = 1;
    }
}
