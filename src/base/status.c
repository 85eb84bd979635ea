/* SPDX-License-Identifier: MIT */
/* Names and texts of the statuses, and the version: constant strings. */
#include <isthmus/status.h>

const char *ist_status_name(ist_status status)
{
    switch (status) {
#define NAME(name, value, text) \
    case IST_##name:            \
        return "IST_" #name;
        IST_STATUS_LIST(NAME)
#undef NAME
    }
    return "IST_?";
}

const char *ist_status_text(ist_status status)
{
    switch (status) {
#define TEXT(name, value, text) \
    case IST_##name:            \
        return text;
        IST_STATUS_LIST(TEXT)
#undef TEXT
    }
    return "unknown status";
}

const char *ist_version(void)
{
    return IST_VERSION_STRING;
}
