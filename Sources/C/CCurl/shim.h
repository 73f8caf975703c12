#ifndef ANICCA_CCURL_SHIM_H
#define ANICCA_CCURL_SHIM_H

/* libcurl takes options through variadic functions, which Swift cannot call: one function per kind of value. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* Macros with casts, which Swift does not import. */
static const long CURL_AUTH_BEARER = CURLAUTH_BEARER;

static inline CURLcode curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/* libcurl keeps a copy of the string. */
static inline CURLcode curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

/* libcurl keeps only the pointer. */
static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_writer(CURL *handle, curl_write_callback write, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}

/* Called for each line of headers and trailers, also of every response before the last. */
static inline CURLcode curl_set_line_reader(CURL *handle, curl_write_callback read, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, read);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_HEADERDATA, context) : code;
}

/* Called for each TLS connection before its handshake. */
static inline CURLcode curl_set_tls_callback(CURL *handle, curl_ssl_ctx_callback prepare, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, prepare);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, context) : code;
}

static inline void curl_wipe_and_free(void *memory) {
    if (memory) explicit_bzero(memory, malloc_usable_size(memory));
    free(memory);
}

static inline void *curl_wiping_realloc(void *memory, size_t size) {
    size_t old = memory ? malloc_usable_size(memory) : 0;
    /* realloc(3) may move the bytes without wiping the old ones. */
    void *moved = malloc(size ? size : 1);
    if (!moved) return NULL;
    if (memory) memcpy(moved, memory, old < size ? old : size);
    curl_wipe_and_free(memory);
    return moved;
}

/* libcurl keeps the token and the sent data in its own memory, and frees it without wiping. */
static inline CURLcode curl_global_init_wiping(void) {
    return curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, curl_wipe_and_free, curl_wiping_realloc, strdup, calloc);
}

static inline CURLcode curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

/* The string belongs to the handle, and may be NULL. */
static inline CURLcode curl_get_string(CURL *handle, CURLINFO info, char **value) {
    return curl_easy_getinfo(handle, info, value);
}

#endif
