/* SPDX-License-Identifier: MIT */
/*
 * Last failures and the failure handler. A thread that cannot even have a record keeps the status
 * alone, in a word of its own: a failure is never without a sentence.
 */
#include "session/error.h"

#include "base/text.h"
#include "session/thread.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ist_status isti_fail(const isti_failure *failure)
{
    isti_thread *thread = isti_thread_current();
    isti_self.bare_status = (int32_t)failure->error.status;
    if (thread != NULL)
        thread->last_failure = *failure;
    return failure->error.status;
}

ist_status isti_fail_argument(const char *operation, const char *reason)
{
    return isti_fail(&(isti_failure){ .error = { .status = IST_E_ARGUMENT, .operation = operation },
                                      .reason = reason });
}

ist_status isti_fail_no_memory(const char *operation, size_t length)
{
    return isti_fail(&(isti_failure){
        .error = { .status = IST_E_NO_MEMORY, .operation = operation, .length = length },
        .parts = length != 0 ? ISTI_PART_LENGTH : 0,
        .reason = "out of memory" });
}

ist_status isti_fail_text(ist_status status, const char *operation, const char *text)
{
    (void)isti_fail(&(isti_failure){ .error = { .status = status, .operation = operation } });
    isti_thread *thread = isti_self.record;
    if (thread != NULL) {
        /* memmove: the text may be this very copy, of the failure before. */
        size_t length = strnlen(text, sizeof thread->reason - 1);
        memmove(thread->reason, text, length);
        thread->reason[length] = '\0';
        thread->last_failure.reason = thread->reason;
    }
    return status;
}

ist_status isti_failure_status(void)
{
    return (ist_status)isti_self.bare_status;
}

isti_kept_failure isti_failure_keep(void)
{
    isti_kept_failure kept = { .status = isti_failure_status() };
    const isti_thread *thread = isti_self.record;
    if (thread != NULL) {
        kept.failure = thread->last_failure;
        memcpy(kept.reason, thread->reason, sizeof kept.reason);
    }
    return kept;
}

void isti_failure_put_back(const isti_kept_failure *kept)
{
    isti_thread *thread = isti_self.record;
    isti_self.bare_status = (int32_t)kept->status;
    if (thread != NULL) {
        thread->last_failure = kept->failure;
        memcpy(thread->reason, kept->reason, sizeof kept->reason);
    }
}

/* What came of it, as the end of the sentence. */
static void add_outcome(isti_text *text, const isti_failure *failure)
{
    const ist_error *error = &failure->error;
    const char *link = failure->parts & ISTI_PART_SEGMENT             ? "whose"
                       : error->kind != NULL && error->kind[0] == 'a' ? "of an"
                                                                      : "of a";
    const char *verb = failure->parts & ISTI_PART_SEGMENT ? "" : " that";
    switch (error->status) {
    case IST_E_CLOSED:
        isti_text_add(text, " %s %s arena%s is closed", link, error->kind, verb);
        break;
    case IST_E_WRONG_THREAD:
        isti_text_add(text, " %s %s arena%s belongs to another thread", link, error->kind, verb);
        break;
    case IST_E_HELD:
        isti_text_add(text, " %s %s arena%s is held %llu time%s", link, error->kind, verb,
                      (unsigned long long)error->holders, error->holders == 1 ? "" : "s");
        break;
    case IST_E_READ_ONLY:
        isti_text_add(text, " that is read-only");
        break;
    case IST_E_ALIGNMENT:
        isti_text_add(text, ": address 0x%llx is not a multiple of %llu",
                      (unsigned long long)error->address, (unsigned long long)error->alignment);
        break;
    default:
        break;
    }
    if (failure->reason != NULL)
        isti_text_add(text, ": %s", failure->reason);
}

static void compose(isti_text *text, const isti_failure *failure)
{
    const ist_error *error = &failure->error;
    isti_text_add(text, "%s", error->operation);
    if (failure->parts & ISTI_PART_LENGTH)
        isti_text_add(text, " of %llu byte%s", (unsigned long long)error->length,
                      error->length == 1 ? "" : "s");
    if (failure->parts & ISTI_PART_ALIGNMENT)
        isti_text_add(text, " aligned to %llu", (unsigned long long)error->alignment);
    if (failure->parts & ISTI_PART_OFFSET)
        isti_text_add(text, " at offset %llu", (unsigned long long)error->offset);
    if (failure->parts & ISTI_PART_SEGMENT)
        isti_text_add(text, " of a segment of %llu byte%s", (unsigned long long)error->limit,
                      error->limit == 1 ? "" : "s");
    if (failure->parts & ISTI_PART_DONE)
        isti_text_add(text, ", stopped after %llu,", (unsigned long long)error->done);
    add_outcome(text, failure);
}

const char *ist_last_error(void)
{
    isti_thread *thread = isti_self.record;
    if (isti_self.bare_status == IST_OK)
        return "no error";
    /*
     * The record may be younger than the failure, if it was memory for the record that was missing.
     */
    if (thread == NULL || thread->last_failure.error.status != (ist_status)isti_self.bare_status)
        return ist_status_text((ist_status)isti_self.bare_status);
    isti_text text = isti_text_in(thread->sentence, sizeof thread->sentence);
    compose(&text, &thread->last_failure);
    return thread->sentence;
}

ist_status ist_last_error_info(ist_error *ret_error)
{
    if (ret_error == NULL || ret_error->size < offsetof(ist_error, os_errno))
        return IST_E_ARGUMENT;
    ist_error error = { .status = (ist_status)isti_self.bare_status };
    if (isti_self.record != NULL && isti_self.record->last_failure.error.status == error.status)
        error = isti_self.record->last_failure.error;
    error.size = ret_error->size < sizeof error ? ret_error->size : sizeof error;
    memcpy(ret_error, &error, error.size);
    return IST_OK;
}

static void print_and_abort(ist_status status, const char *where)
{
    fprintf(stderr, "%s: %s: %s\n", where, ist_status_name(status), ist_last_error());
    abort();
}

static _Atomic(ist_failure_fn *) failure_handler = print_and_abort;

ist_failure_fn *ist_failure_handler_set(ist_failure_fn *handler)
{
    /*
     * acq_rel: pairs with the acquire in ist_failure_report(); what the handler uses is visible to
     * it.
     */
    return atomic_exchange_explicit(&failure_handler, handler != NULL ? handler : print_and_abort,
                                    memory_order_acq_rel);
}

void ist_failure_report(ist_status status, const char *where)
{
    /* acquire: pairs with ist_failure_handler_set(). */
    ist_failure_fn *handler = atomic_load_explicit(&failure_handler, memory_order_acquire);
    handler(status, where);
}
