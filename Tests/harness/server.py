"""A server that misbehaves to the byte, and remembers strictly what it accepted. Each connection has a thread of its own."""

import collections
import json
import socket
import ssl
import struct
import threading
import time

STORED = "stored"


class Closed(Exception):
    """The other side is gone, or this side has hung up."""


class Request:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body

    key = property(lambda self: self.headers.get("idempotency-key"))

    @property
    def name(self):
        """The day, the event and its time, or until when to erase: there may be one request of it."""
        body = json.loads(self.body)
        if "until" in body:
            return self.path, body["until"]
        return (self.path, body["date"]) if "date" in body else (self.path, body["eventType"], body["timestamp"])


class Table:
    """What was accepted. A key comes with the same bytes always, and a day or an event under one key."""

    def __init__(self):
        self.lock = threading.Lock()
        self.rows = {}  # By key: (path, bytes)
        self.names = {}  # Keys by name
        self.seen = {}  # By key: all bytes that ever came, accepted or not
        self.wrongs = []
        self.requests = 0

    def look(self, request):
        """What holds for each request that came whole, whatever is answered."""
        with self.lock:
            self.requests += 1
            if request.key is None:
                self.wrongs.append("a request has no key")
                return
            earlier = self.seen.setdefault(request.key, (request.path, request.body))
            if earlier != (request.path, request.body):
                self.wrongs.append(f"the key {request.key} came with {earlier} and with {(request.path, request.body)}")

    def take(self, request):
        """The status that an honest server answers."""
        with self.lock:
            if request.key in self.rows:
                return 200 if self.rows[request.key] == (request.path, request.body) else 422
            if request.name in self.names:
                self.wrongs.append(f"{request.name} came under two keys")
                return 422
            self.rows[request.key] = (request.path, request.body)
            self.names[request.name] = request.key
            return 201

    def bodies(self):
        """By name, what was accepted."""
        with self.lock:
            return {name: json.loads(self.rows[key][1]) for name, key in self.names.items()}

    def check(self, truth, missing=()):
        """Equals the truth, rows of (path, bytes) by key; names in `missing` need not be there."""
        assert not self.wrongs, f"{len(self.wrongs)} wrongs, first {self.wrongs[0]}"
        with self.lock:
            absent = sorted(truth.keys() - self.rows.keys() - set(missing))
            assert not absent, f"{len(absent)} of {len(truth)} records never came"
            for key, row in self.rows.items():
                assert row == truth.get(key), f"came: {row}, true is {truth.get(key)}"


class Connection:
    def __init__(self, server, link):
        self.server, self.link = server, link
        self.table = server.table
        self.rest = b""

    def read(self, most=65536):
        try:
            piece = self.link.recv(most)
        except (OSError, ssl.SSLError):
            raise Closed from None
        if not piece:
            raise Closed
        return piece

    def request(self):
        """The next request, whole."""
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.read()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        if headers.get("expect", "").lower() == "100-continue":
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        while len(self.rest) < length:
            self.rest += self.read()
        body, self.rest = self.rest[:length], self.rest[length:]
        method, path, _ = first.split(" ")
        request = Request(method, path, headers, body)
        if method != "POST":
            # `anicca doctor` asks for the head of the address.
            self.answer(200, body=b"")
            return self.request()
        self.table.look(request)
        return request

    def send(self, data):
        try:
            self.link.sendall(data)
        except (OSError, ssl.SSLError):
            raise Closed from None

    def answer(self, status, headers=(), body=b"{}", kind="application/json"):
        lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}"]
        if kind:
            lines.append(f"Content-Type: {kind}")
        lines += [f"{name}: {value}" for name, value in headers]
        has_no_body = status < 200 or status in (204, 304)
        if has_no_body:
            del lines[1:3 if kind else 2]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode("utf-8") + (b"" if has_no_body else body))

    def reset(self):
        """Hangs up so that the other side gets a reset (RST), not an end."""
        self.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.hang_up()

    def hang_up(self):
        self.link.close()
        raise Closed

    def wait(self, seconds):
        """Waits, but no longer than the client does, or this server lives."""
        end = time.monotonic() + seconds
        self.link.settimeout(0.05)
        while time.monotonic() < end and not self.server.has_ended:
            try:
                if not self.link.recv(65536):
                    raise Closed
            except (socket.timeout, ssl.SSLWantReadError):
                continue
            except OSError:
                raise Closed from None
        self.link.settimeout(60)


def honest(connection):
    """Accepts what is right."""
    connection.answer(connection.table.take(connection.request()))


class Server:
    """Use it with `with`. `behaviours` meet the next requests, one each; then `otherwise` meets the rest."""

    def __init__(self, tls=None, port=0):
        self.table = Table()
        self.otherwise = honest
        self.behaviours = collections.deque()
        self.context = tls
        self.has_ended = False
        self.connections = 0
        self.socket = socket.create_server(("127.0.0.1", port), backlog=128)
        self.port = self.socket.getsockname()[1]
        self.links = set()
        self.thread = threading.Thread(target=self._listen, daemon=True)

    address = property(lambda self: f"http://127.0.0.1:{self.port}")

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *failure):
        self.has_ended = True
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join(5)
        for link in list(self.links):
            link.close()

    def misbehave(self, *behaviours, otherwise=honest):
        self.behaviours = collections.deque(behaviours)
        self.otherwise = otherwise

    def be_honest(self):
        self.misbehave()

    def _listen(self):
        while not self.has_ended:
            try:
                link, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(link,), daemon=True).start()

    def _serve(self, link):
        link.settimeout(60)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if self.context:
                try:
                    link = self.context.wrap_socket(link, server_side=True)
                except (OSError, ssl.SSLError):
                    return
            self.links.add(link)
            connection = Connection(self, link)
            while not self.has_ended:
                # The behaviour is chosen when the request begins to arrive.
                connection.rest = connection.rest or connection.read()
                try:
                    behave = self.behaviours.popleft()
                except IndexError:
                    behave = self.otherwise
                behave(connection)
        except Closed:
            pass
        finally:
            self.links.discard(link)
            link.close()
