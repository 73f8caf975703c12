// Debian sid's static Swift libraries are compiled against glibc >= 2.38 and libstdc++ >= 13, and so refer to
// functions which Debian 12 (glibc 2.36, libstdc++ 12) has under another name or not at all. They are defined here
// when this is compiled against such an older glibc; otherwise this file is empty. No header that declares them is
// included: their own declarations may differ in attributes.
#include <features.h>
#include <stdarg.h>
#include <stddef.h>

#if !__GLIBC_PREREQ(2, 38)

// The C23 forms of the number readers differ from the older ones only in accepting "0b1" as binary.
extern long strtol(const char *, char **, int);
extern long long strtoll(const char *, char **, int);
extern unsigned long strtoul(const char *, char **, int);
extern unsigned long long strtoull(const char *, char **, int);
extern int vsscanf(const char *, const char *, va_list);

long __isoc23_strtol(const char *text, char **end, int base) {
    return strtol(text, end, base);
}

long long __isoc23_strtoll(const char *text, char **end, int base) {
    return strtoll(text, end, base);
}

unsigned long __isoc23_strtoul(const char *text, char **end, int base) {
    return strtoul(text, end, base);
}

unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
    return strtoull(text, end, base);
}

int __isoc23_sscanf(const char *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int read = vsscanf(text, format, arguments);
    va_end(arguments);
    return read;
}

extern size_t strlen(const char *);
extern size_t strnlen(const char *, size_t);
extern void *memcpy(void *, const void *, size_t);

// strlcpy(3) and strlcat(3) as OpenBSD and glibc 2.38 document them.
size_t strlcpy(char *target, const char *source, size_t size) {
    size_t length = strlen(source);
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(target, source, copied);
        target[copied] = 0;
    }
    return length;
}

size_t strlcat(char *target, const char *source, size_t size) {
    size_t length = strnlen(target, size);
    return length + strlcpy(target + length, source, size - length);
}

// std::ios_base_library_init() of libstdc++ 13 only pulls in the initialiser of the streams, which in libstdc++ 12
// each includer of <iostream> brings along.
void _ZSt21ios_base_library_initv(void) {}

#endif
