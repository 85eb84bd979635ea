/* SPDX-License-Identifier: MIT */
/* Data described once, in C: read from text, allocated by its layout, reached through paths that were found once. */
#include <isthmus/isthmus.h>

#include <stdio.h>

int main(void)
{
    ist_arena arena;
    const ist_layout *point;
    ist_path y, tag;
    ist_segment points;
    IST_CHECK(ist_arena_open_confined(&arena));
    IST_CHECK(ist_layout_parse(arena, "struct point { double x, y; struct { short id; char tag[6]; } label; }", &point));
    IST_CHECK(ist_path_resolve(point, "y", &y));
    IST_CHECK(ist_path_resolve(point, "label.tag[]", &tag));
    IST_CHECK(ist_allocate_array(ist_arena_allocator(&arena), 100, ist_layout_size(point), ist_layout_alignment(point), &points));

    size_t seventeenth = 17 * ist_layout_size(point);
    IST_CHECK(ist_path_set_f64(&y, points, seventeenth, NULL, 0, 2.5));
    for (size_t i = 0; i < 5; i++)
        IST_CHECK(ist_path_set_i8(&tag, points, seventeenth, &i, 1, "north"[i]));

    double value = 0;
    IST_CHECK(ist_path_get_f64(&y, points, seventeenth, NULL, 0, &value));
    printf("%g %s\n", value, (const char *)ist_segment_pointer_unchecked(points) + seventeenth + 18);

    size_t seventh = 6;
    ist_status status = ist_path_set_i8(&tag, points, seventeenth, &seventh, 1, '!');
    printf("%s: %s\n", ist_status_name(status), ist_last_error());

    char text[1000];
    IST_CHECK(ist_layout_format(point, IST_FORMAT_TABLE, text, sizeof text, NULL));
    fputs(text, stdout);
    IST_CHECK(ist_arena_close(arena));
    return 0;
}
