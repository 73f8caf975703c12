/* The one call of the Swift library that Embedded Swift has no code of: from text to a number, in the C locale, which aniccad never leaves. */
#include <stdlib.h>

const char *_swift_stdlib_strtod_clocale(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end;
}
