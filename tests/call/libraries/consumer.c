/* SPDX-License-Identifier: MIT */
/* Needs `provided`, of which its own file does not say where it comes from. */
int provided(void);
int consumed(void);
int consumed(void)
{
    return provided() + 1;
}
