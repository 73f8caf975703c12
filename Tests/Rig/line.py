"""The serial line between a guest's agent and the host."""

from __future__ import annotations

import socket
import threading
from typing import Optional


class Line:
    """The serial line to the agent in the guest (guest/agent says what goes over it), read by a thread of its own."""

    #: The number of the agent's first answer; commands are numbered from 1.
    READY = 0

    def __init__(self, line: socket.socket):
        self._socket = line
        self._changed = threading.Condition()
        self._statuses: dict[int, int] = {}
        self._is_open = True
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def write(self, text: str) -> None:
        """Sends a line."""
        try:
            self._socket.sendall(f"{text}\n".encode())
        except OSError:
            # The guest has gone: wakes the threads that wait for an answer.
            pass

    def status_of(self, number: int) -> Optional[int]:
        """The answer, or None if there is none yet."""
        with self._changed:
            return self._statuses.get(number)

    def wait_for(self, number: int, timeout: float) -> None:
        """Returns when the answer has come. TimeoutError (seconds), or EOFError when the guest ended before it."""
        with self._changed:
            if not self._changed.wait_for(lambda: number in self._statuses or not self._is_open, timeout):
                raise TimeoutError
            if number not in self._statuses:
                raise EOFError

    def close(self, timeout: float = 60) -> None:
        """Waits until the guest has ended, and closes it. TimeoutError (seconds) where something of it goes on."""
        self._reader.join(timeout)
        self._socket.close()
        if self._reader.is_alive():
            raise TimeoutError(f"a process of the guest goes on {timeout:g} s after its end")

    def _read(self) -> None:
        try:
            for line in self._socket.makefile():
                number, status = (self.READY, 0) if line == "ready\n" else map(int, line.split())
                with self._changed:
                    self._statuses[number] = status
                    self._changed.notify_all()
        except ConnectionResetError:
            # The guest was killed before it read everything.
            pass
        with self._changed:
            self._is_open = False
            self._changed.notify_all()
