/* SPDX-License-Identifier: MIT */
#ifndef ISTHMUS_ISTHMUS_H
#define ISTHMUS_ISTHMUS_H
/*
 * All of Isthmus; each header can also be included alone. Not here: host.h, for runtimes, and gc.h, for
 * programs on a garbage collector.
 */
#include <isthmus/base.h>
#include <isthmus/status.h>
#include <isthmus/segment.h>
#include <isthmus/arena.h>
#include <isthmus/automatic.h>
#include <isthmus/access.h>
#include <isthmus/scope.h>
#include <isthmus/allocator.h>
#include <isthmus/elements.h>
#include <isthmus/string.h>
#include <isthmus/atomic.h>
#include <isthmus/layout.h>
#include <isthmus/declarations.h>
#include <isthmus/path.h>
#include <isthmus/path_access.h>
#include <isthmus/library.h>
#include <isthmus/stats.h>
#endif
