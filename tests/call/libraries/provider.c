/* SPDX-License-Identifier: MIT */
/* What consumer.c needs. */
int provided(void);
int provided(void)
{
    return 9;
}
