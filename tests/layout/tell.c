/* SPDX-License-Identifier: MIT */
/*
 * Says what Isthmus thinks of types, for differential.py. Reads one type after the other from standard input:
 *
 *     s NAME        a scalar, onto a stack          n COUNT|-   a sequence of what is on top, '-': without end
 *     v COUNT       a vector                        a ALIGNMENT the same with another alignment
 *     e             an enumeration
 *     {             a group begins
 *     m NAME|- BITS PACKED ALIGNMENT                a member of the group: what is on top
 *     } struct|union PACKED ALIGNMENT PACK          the group ends and is on top
 *     t LENGTH NAME the type NAME of the C text of LENGTH bytes that follows, onto the stack
 *     .             the type is complete
 *     h LENGTH      nothing else: all that the C text of LENGTH bytes declares
 *
 * and answers each by "size alignment", a line "path first_bit bits size" for each named member, members of members included,
 * ('-' for the size of what has no end) and a line "."; or by "! status: sentence" and ".". What a text declares is a line
 * "= KIND NAME", or "= constant NAME VALUE", and these lines for each that has a size.
 */
#include <isthmus/isthmus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 64, MOST_MEMBERS = 4096, MOST_PATH = 4096, MOST_LINE = 1024 };

/* The type that is being built; the first failure stays. */
typedef struct maker {
    ist_arena arena;
    const ist_layout *parts[MOST_PARTS];
    size_t part_count;
    ist_member members[MOST_MEMBERS];
    size_t member_count;
    size_t begins[MOST_PARTS]; /* Where the members of each open group begin. */
    size_t group_count;
    ist_status status;
} maker;

static void die(const char *line)
{
    fprintf(stderr, "cannot read '%s'\n", line);
    exit(2);
}

static const ist_layout *take(maker *m)
{
    if (m->part_count == 0)
        die("an empty stack");
    return m->parts[--m->part_count];
}

static void put(maker *m, ist_status status, const ist_layout *layout)
{
    if (m->status == IST_OK)
        m->status = status;
    if (m->part_count == MOST_PARTS)
        die("a full stack");
    m->parts[m->part_count++] = status == IST_OK ? layout : ist_layout_of(IST_TYPE_CHAR);
}

static const ist_layout *scalar(const char *name)
{
#define NAME(name_, value, size, text) \
    if (strcmp(name, #name_) == 0)     \
        return ist_layout_of(IST_TYPE_##name_);
    IST_TYPE_LIST(NAME)
#undef NAME
    die(name);
    return NULL;
}

static void add_member(maker *m, const char *line)
{
    char name[MOST_LINE];
    ist_member member = { .layout = take(m) };
    if (sscanf(line, "m %s %d %d %zu", name, &member.bits, &member.packed, &member.alignment) != 4 ||
        m->member_count == MOST_MEMBERS)
        die(line);
    member.name = strcmp(name, "-") == 0 ? NULL : strdup(name);
    m->members[m->member_count++] = member;
}

static void end_group(maker *m, const char *line)
{
    char keyword[MOST_LINE];
    ist_group_attributes attributes = { 0 };
    if (sscanf(line, "} %s %d %zu %zu", keyword, &attributes.packed, &attributes.alignment, &attributes.pack_maximum) != 4 ||
        m->group_count == 0)
        die(line);
    size_t begin = m->begins[--m->group_count];
    const ist_layout *made = NULL;
    ist_status status =
        (keyword[0] == 's' ? ist_layout_struct_c : ist_layout_union_c)(m->arena, NULL, m->members + begin,
                                                                       m->member_count - begin, &attributes, &made);
    while (m->member_count > begin)
        free((void *)(uintptr_t)m->members[--m->member_count].name);
    put(m, status, made);
}

/* Reads the declarations that follow a line. */
static ist_status read_declarations(maker *m, const char *line, ist_declarations **ret_known)
{
    size_t length = strtoull(line + 2, NULL, 10);
    char *text = calloc(1, length + 1);
    if (text == NULL || fread(text, 1, length, stdin) != length)
        die(line);
    IST_CHECK(ist_declarations_open(m->arena, ret_known));
    ist_status status = ist_declarations_add(*ret_known, text);
    free(text);
    return status;
}

static void read_text(maker *m, const char *line)
{
    int name = 0;
    const ist_layout *made = NULL;
    ist_declarations *known;
    if (sscanf(line, "t %*u %n", &name) < 0 || name == 0)
        die(line);
    ist_status status = read_declarations(m, line, &known);
    if (status == IST_OK)
        status = ist_declarations_layout(known, line + name, &made);
    put(m, status, made);
}

/* Obeys one line; 0: the type is complete. */
static int obey(maker *m, const char *line)
{
    const ist_layout *made = NULL;
    ist_status status = IST_OK;
    size_t number = strcmp(line, "n -") == 0 ? IST_COUNT_OPEN : strlen(line) > 2 ? strtoull(line + 2, NULL, 10) : 0;
    switch (line[0]) {
    case 's':
        put(m, IST_OK, scalar(line + 2));
        break;
    case 'e':
        status = ist_layout_enum(m->arena, NULL, take(m), &(ist_enumerator){ "ONE", 1 }, 1, &made);
        put(m, status, made);
        break;
    case 'v':
        status = ist_layout_vector(m->arena, take(m), number, &made);
        put(m, status, made);
        break;
    case 'n':
        status = ist_layout_sequence(m->arena, number, take(m), &made);
        put(m, status, made);
        break;
    case 'a':
        status = ist_layout_with_alignment(m->arena, take(m), number, &made);
        put(m, status, made);
        break;
    case 't':
        read_text(m, line);
        break;
    case '{':
        m->begins[m->group_count++] = m->member_count;
        break;
    case 'm':
        add_member(m, line);
        break;
    case '}':
        end_group(m, line);
        break;
    case '.':
        return 0;
    default:
        die(line);
    }
    return 1;
}

static int has_no_end(const ist_layout *layout)
{
    return ist_layout_kind_of(layout) == IST_LAYOUT_SEQUENCE && ist_layout_count(layout) == IST_COUNT_OPEN;
}

static void tell_members(const ist_layout *layout, size_t base, char *path, size_t length)
{
    while (ist_layout_kind_of(layout) == IST_LAYOUT_SEQUENCE) {
        length += (size_t)snprintf(path + length, MOST_PATH - length, "[0]");
        layout = ist_layout_element(layout);
    }
    ist_layout_kind kind = ist_layout_kind_of(layout);
    if (kind != IST_LAYOUT_STRUCT && kind != IST_LAYOUT_UNION)
        return;
    for (size_t i = 0; i < ist_layout_count(layout); i++) {
        ist_member_info info = { .size = sizeof info };
        size_t end = length;
        IST_CHECK(ist_layout_member(layout, i, &info));
        if (info.name != NULL) {
            end += (size_t)snprintf(path + length, MOST_PATH - length, "%s%s", length > 0 ? "." : "", info.name);
            printf("%s %zu %u ", path, base + info.bit_offset, info.bits);
            if (has_no_end(info.layout))
                puts("-");
            else
                printf("%zu\n", ist_layout_size(info.layout));
        }
        if (info.bits == 0)
            tell_members(info.layout, base + info.bit_offset, path, end);
        path[length] = 0;
    }
}

static void tell_size(const ist_layout *layout)
{
    char path[MOST_PATH] = "";
    printf("%zu %zu\n", ist_layout_size(layout), ist_layout_alignment(layout));
    tell_members(layout, 0, path, 0);
}

static void tell_header(maker *m, const char *line)
{
    static const char *const kinds[] = { "", "tag", "type", "function", "variable" };
    ist_declarations *known;
    ist_status status = read_declarations(m, line, &known);
    if (status != IST_OK)
        printf("! %s: %s\n", ist_status_name(status), ist_last_error());
    for (size_t i = 0; status == IST_OK && i < ist_declarations_count(known); i++) {
        ist_declaration declared = { .size = sizeof declared };
        IST_CHECK(ist_declarations_get(known, i, &declared));
        if (declared.kind == IST_DECLARED_CONSTANT) {
            printf("= constant %s %lld\n", declared.name, (long long)declared.value);
            continue;
        }
        printf("= %s %s\n", kinds[declared.kind], declared.name);
        if (ist_layout_is_complete(declared.layout) && !has_no_end(declared.layout))
            tell_size(declared.layout);
    }
    puts(".");
    fflush(stdout);
}

static void tell(ist_status status, const ist_layout *layout)
{
    if (status != IST_OK)
        printf("! %s: %s\n", ist_status_name(status), ist_last_error());
    else
        tell_size(layout);
    puts(".");
    fflush(stdout);
}

int main(void)
{
    static maker m;
    static char line[MOST_LINE];
    IST_CHECK(ist_arena_open_confined(&m.arena));
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == 'h')
            tell_header(&m, line);
        else if (obey(&m, line))
            continue;
        else
            tell(m.status, take(&m));
        m.status = IST_OK;
        IST_CHECK(ist_arena_close(m.arena));
        IST_CHECK(ist_arena_open_confined(&m.arena));
    }
    IST_CHECK(ist_arena_close(m.arena));
    return 0;
}
