/* SPDX-License-Identifier: MIT */
/* A module that needs thread-local storage: TLS_BYTES of it. */
#include <stddef.h>

static __thread volatile unsigned char bytes[TLS_BYTES];

__attribute__((visibility("default"))) unsigned char tls_module_touch(size_t place);

unsigned char tls_module_touch(size_t place)
{
    return ++bytes[place % TLS_BYTES];
}
