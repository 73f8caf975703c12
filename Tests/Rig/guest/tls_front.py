"""A TLS server in a guest: forwards clients' requests to a plain server on loopback, and returns its answers.

    tls_front.py PORT PLAIN-PORT CERTIFICATE-AND-KEY [CLIENT-AUTHORITY]

With an authority, only clients that show a certificate of it are served.
"""

from __future__ import annotations

import socket
import socketserver
import ssl
import sys
import threading

PORT, PLAIN_PORT, CERTIFICATE, *AUTHORITY = sys.argv[1:]


def copy(source: socket.socket, target: socket.socket) -> None:
    """Until the source says no more."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


class Front(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with self.request.dup() as connection:
            try:
                client = context.wrap_socket(self.request, server_side=True)
            except OSError:
                # Data that the client has sent is read first, or the end would overtake the alert that gives the
                # reason.
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(65536):
                    pass
                return
        with client, socket.create_connection(("127.0.0.1", int(PLAIN_PORT))) as plain:
            threading.Thread(target=copy, args=(client, plain), daemon=True).start()
            copy(plain, client)


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERTIFICATE)
if AUTHORITY:
    context.load_verify_locations(AUTHORITY[0])
    context.verify_mode = ssl.CERT_REQUIRED
socketserver.ThreadingTCPServer.allow_reuse_address = True
socketserver.ThreadingTCPServer.daemon_threads = True
with socketserver.ThreadingTCPServer(("127.0.0.1", int(PORT)), Front) as server:
    print("ready", flush=True)
    server.serve_forever()
