#ifndef ANICCA_CCURL_SHIM_H
#define ANICCA_CCURL_SHIM_H

/* libcurl takes options through variadic functions, which Swift cannot call: one function for each kind of value. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* Macros with casts, which Swift does not import. */
static const long CURL_AUTH_BEARER = CURLAUTH_BEARER;

static inline CURLcode curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

/* libcurl keeps a copy of the string. */
static inline CURLcode curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

/* libcurl keeps the pointer only. */
static inline CURLcode curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode curl_set_writer(CURL *handle, curl_write_callback write, void *context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    return code == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, context) : code;
}

static inline CURLcode curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

/* The string belongs to the handle, and may be NULL. */
static inline CURLcode curl_get_string(CURL *handle, CURLINFO info, char **value) {
    return curl_easy_getinfo(handle, info, value);
}

#endif
