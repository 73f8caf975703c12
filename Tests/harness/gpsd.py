"""A gpsd that a test scripts, on a Unix socket: it greets, and reports a place to whoever watches."""

import errno
import fcntl
import json
import math
import os
import select
import socket
import struct
import termios
import threading

GREETING = '{"class":"VERSION","release":"3.25","rev":"3.25","proto_major":3,"proto_minor":15}\n'
DEVICES = '{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0","driver":"u-blox","activated":"2025-01-13T00:00:00.000Z"}]}\n'
WATCHING = '{"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"split24":false,"pps":false}\n'

# Degrees of which no digit occurs elsewhere in what a device keeps.
HOME = (48.137154, 11.576124)
METRES_A_DEGREE = 6_371_008.8 * math.pi / 180


def east(metres, origin=HOME):
    """The place so many metres to the east."""
    latitude, longitude = origin
    longitude += metres / (METRES_A_DEGREE * math.cos(math.radians(latitude)))
    return latitude, (longitude + 180) % 360 - 180


def report(place, time=None, **members):
    """A report of gpsd (gpsd_json(5), class TPV). A member that is None is left out."""
    told = {"class": "TPV", "device": "/dev/ttyACM0", "mode": 3, "time": time, "lat": place[0], "lon": place[1], "eph": 5.0, "speed": 1.4}
    told.update(members)
    return json.dumps({name: value for name, value in told.items() if value is not None}) + "\n"


class Client:
    def __init__(self, connection):
        self.socket = connection
        self.heard = b""

    @property
    def watches(self):
        return b'?WATCH={"enable":true' in self.heard

    @property
    def unread(self):
        """The bytes that it was sent and has not taken."""
        try:
            return struct.unpack("i", fcntl.ioctl(self.socket, termios.TIOCOUTQ, b"\0" * 4))[0]
        except OSError:
            return 0


class Gpsd:
    """Listens while it is started. `pump` does what there is to do; a thread calls it too, for programs that a test waits for."""

    def __init__(self, path):
        self.path = str(path)
        # What a client is told first; None for silence, and "" to hang up.
        self.greeting = GREETING
        self.accepted = 0
        self.clients = []
        self._listener = None
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def start(self):
        with self._lock:
            self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._listener.bind(self.path)
            self._listener.listen()

    def stop(self, leaves_its_socket=False):
        """Goes away, as gpsd does; one that was killed leaves the name of its socket."""
        self.hang_up()
        with self._lock:
            if self._listener:
                self._listener.close()
            self._listener = None
            if not leaves_its_socket and os.path.exists(self.path):
                os.unlink(self.path)

    def end(self):
        self._ended.set()
        self._thread.join()
        self.stop()

    def hang_up(self):
        with self._lock:
            for client in self.clients:
                client.socket.close()
            self.clients = []

    @property
    def is_watched(self):
        return any(client.watches for client in self.clients)

    @property
    def unread(self):
        with self._lock:
            return sum(client.unread for client in self.clients)

    def send(self, text):
        """Tells it to whoever watches."""
        with self._lock:
            for client in [client for client in self.clients if client.watches]:
                self._send(client, text)

    def _send(self, client, text):
        data = text if isinstance(text, bytes) else text.encode()
        try:
            client.socket.settimeout(2)
            client.socket.sendall(data)
        except OSError:
            self._drop(client)

    def _drop(self, client):
        client.socket.close()
        if client in self.clients:
            self.clients.remove(client)

    def pump(self):
        """Accepts, greets and hears. Returns whether there was anything."""
        with self._lock:
            sockets = [client.socket for client in self.clients] + ([self._listener] if self._listener else [])
            ready = select.select(sockets, [], [], 0)[0]
            if self._listener in ready:
                self._accept()
            for client in [client for client in self.clients if client.socket in ready]:
                self._hear(client)
            return bool(ready)

    def _accept(self):
        client = Client(self._listener.accept()[0])
        self.accepted += 1
        if self.greeting == "":
            client.socket.close()
            return
        self.clients.append(client)
        if self.greeting is not None:
            self._send(client, self.greeting)

    def _hear(self, client):
        watched = client.watches
        try:
            data = client.socket.recv(4096)
        except OSError as error:
            if error.errno not in (errno.ECONNRESET, errno.EPIPE):
                raise
            data = b""
        if not data:
            self._drop(client)
            return
        client.heard += data
        if client.watches and not watched:
            self._send(client, DEVICES + WATCHING)

    def _run(self):
        while not self._ended.wait(0.01):
            self.pump()
