"""Opens what the programs sealed with the key of a test, to look for what must not be in it."""

import contextlib
import ctypes
import ctypes.util
import hashlib
import sqlite3
import struct

NONCE, TAG = 24, 16


class Opener:
    def __init__(self, key_file):
        self._sodium = ctypes.CDLL(ctypes.util.find_library("sodium") or "libsodium.so.23")
        # As libsodium's crypto_kdf_derive_from_key: the third key is that of the seals.
        self._key = hashlib.blake2b(
            key=key_file.read_bytes(), digest_size=32, salt=struct.pack("<QQ", 3, 0), person=b"anicca#1").digest()

    def open(self, sealed):
        """The plain bytes. The tag is not looked at, so the place of the bytes need not be known."""
        # The stream of XChaCha20-Poly1305 from its second block on.
        stream = sealed[NONCE:len(sealed) - TAG]
        plain = ctypes.create_string_buffer(len(stream))
        self._sodium.crypto_stream_xchacha20_xor_ic(
            plain, stream, ctypes.c_ulonglong(len(stream)), sealed[:NONCE], ctypes.c_uint64(1), self._key)
        return plain.raw

    def store(self, path):
        """Each sealed value of a store: its table, its row's id, if it has one, and the plain bytes."""
        with contextlib.closing(sqlite3.connect(path)) as store:
            for (table,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                rows = store.execute(f'SELECT * FROM "{table}"')
                names = [column[0] for column in rows.description]
                for row in rows:
                    number = dict(zip(names, row)).get("id")
                    for value in row:
                        if isinstance(value, bytes) and len(value) > NONCE + TAG:
                            yield table, number, self.open(value)

    def running_state(self, path):
        """Each state in the file of the running state."""
        data = path.read_bytes()
        for start in range(0, len(data), 4096):
            length = struct.unpack_from("<H", data, start)[0]
            if length > NONCE + TAG:
                yield self.open(data[start + 2:start + 2 + length])
