#ifndef ANICCA_CMOSQUITTO_SHIM_H
#define ANICCA_CMOSQUITTO_SHIM_H

#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* OpenSSL has these as macros, which Swift does not import. */

static inline int tls_at_least_1_2(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/* No compression, and no renegotiation, which the broker could request repeatedly. */
static inline void tls_restrict(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

/* The owner of a context, for its callbacks. */
static inline int tls_set_owner(SSL_CTX *context, void *owner) { return SSL_CTX_set_app_data(context, owner); }
static inline void *tls_owner(const SSL *tls) { return SSL_CTX_get_app_data(SSL_get_SSL_CTX(tls)); }

static inline int tls_set_name(SSL *tls, const char *name) { return (int)SSL_set_tlsext_host_name(tls, name); }

/* The connection whose certificates are verified. */
static inline SSL *tls_verified(X509_STORE_CTX *store) {
    return (SSL *)X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
}

/* Keeps the number of the latest alert from the peer of a libcurl connection (CURLOPT_SSL_CTX_FUNCTION(3)). */
static inline void tls_note_alert(const SSL *tls, int kind, int value) {
    int *alert = tls_owner(tls);
    if (alert && kind == SSL_CB_READ_ALERT) *alert = value & 0xFF;
}
static inline void tls_keep_alert(void *context, int *alert) {
    tls_set_owner(context, alert);
    SSL_CTX_set_info_callback(context, tls_note_alert);
}

static const int TLS_INFO_START = SSL_CB_HANDSHAKE_START;
static const int TLS_INFO_DONE = SSL_CB_HANDSHAKE_DONE;
static const int TLS_INFO_READ_ALERT = SSL_CB_READ_ALERT;

/* The SHA-256 of a certificate's public key with its algorithm (SubjectPublicKeyInfo, RFC 5280 4.1.2.7), in Base64: 45
 * bytes with the terminating zero. Returns 0 on failure. */
static inline int tls_pin(X509 *certificate, unsigned char base64[45]) {
    unsigned char *der = NULL;
    unsigned char digest[32];
    unsigned length = 0;
    int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
    if (size <= 0) return 0;
    int hashed = EVP_Digest(der, (size_t)size, digest, &length, EVP_sha256(), NULL);
    OPENSSL_free(der);
    return hashed == 1 && length == sizeof digest && EVP_EncodeBlock(base64, digest, sizeof digest) == 44;
}

#endif
