"""A PostgreSQL cluster of a test's own, reached over a socket in its directory. It is as safe as a real one: fsync is on."""

import csv
import io
import os
import pathlib
import shutil
import signal
import time

from harness.processes import Failed, Process, run, until

USER = "postgres"
PORT = 5432  # Names the socket; there is no port.
SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{sockets}'
port = {port}
max_connections = 60
fsync = on
synchronous_commit = on
full_page_writes = on
log_min_messages = warning
log_line_prefix = '%m [%p] '
"""


def programs():
    """The directory of the latest version's programs, which Debian keeps out of the PATH."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    if not found:
        raise Failed("PostgreSQL is missing: sh scripts/setup.sh postgresql")
    return found[-1].parent


def as_user(words):
    """PostgreSQL refuses to be root."""
    if os.geteuid() == 0:
        return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", *words]
    return words


class Cluster:
    """Files in `data`, which may be a file system of its own, and a socket in `directory`."""

    def __init__(self, directory, data=None, settings=""):
        self.directory = pathlib.Path(directory)
        self.data = pathlib.Path(data or self.directory / "data")
        self.sockets = self.directory / "postgresql"
        self._postmaster = None
        for path in (self.data, self.sockets):
            path.mkdir(parents=True, exist_ok=True)
            if os.geteuid() == 0:
                shutil.chown(path, USER, USER)
        self.data.chmod(0o700)
        self.sockets.chmod(0o755)
        self._make(self.data / "cluster")
        with open(self.data / "cluster/postgresql.conf", "a", encoding="utf-8") as file:
            file.write(SETTINGS.format(sockets=self.sockets, port=PORT) + settings)
        self.start()

    def _make(self, within):
        run(as_user([programs() / "initdb", "--pgdata", within, "--username", USER, "--auth", "trust", "--encoding", "UTF8",
                     "--locale", "C.UTF-8", "--no-sync"]), cwd="/")

    pid = property(lambda self: self._postmaster.pid)

    def start(self):
        """Also after a crash, from which it recovers by itself. Sessions of the one that was killed may hold its memory for a moment."""
        for rest in reversed(range(20)):
            self._postmaster = Process([programs() / "postgres", "-D", self.data / "cluster"], self.directory / "postgresql.log",
                                       USER, cwd="/")
            try:
                return until(self.is_ready, "PostgreSQL starts", 60)
            except Failed as failure:
                if not rest or "shared memory" not in str(failure):
                    raise
            time.sleep(0.5)

    def is_ready(self):
        if not self._postmaster.is_running:
            raise Failed(f"PostgreSQL ended with {self._postmaster.code}: {self._postmaster.last_words()}")
        try:
            run(["pg_isready", "--quiet", "--host", self.sockets, "--port", PORT])
        except Failed:
            return False
        return True

    def kill(self):
        """The postmaster and all its processes, as when the power fails."""
        self._postmaster.kill()

    def stop(self):
        """As an administrator does: sessions end now."""
        if self._postmaster and self._postmaster.is_running:
            self._postmaster.end(signal.SIGINT)

    def url(self, user=USER, database="anicca"):
        return f"postgresql:///{database}?host={self.sockets}&port={PORT}&user={user}"

    def query(self, sql, database="anicca", user=USER):
        """The rows that it gives, as text; an absent value is None."""
        out = run(["psql", "--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--csv", "--tuples-only", "--pset", "null=\\N",
                   self.url(user, database)], sql)
        return [tuple(None if value == "\\N" else value for value in row) for row in csv.reader(io.StringIO(out))]

    def value(self, sql, database="anicca"):
        return self.query(sql, database)[0][0]


class Standby(Cluster):
    """Follows another cluster, which waits for it before it acknowledges anything."""

    def __init__(self, directory, first):
        self._first = first
        super().__init__(directory)
        first.query("ALTER SYSTEM SET synchronous_standby_names = 'anicca_standby'", USER)
        first.query("SELECT pg_reload_conf()", USER)
        until(lambda: first.value("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1", "the copy is waited for", 20)

    def _make(self, within):
        run(as_user([programs() / "pg_basebackup", "--pgdata", within, "--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--dbname",
                     f"host={self._first.sockets} port={PORT} user={USER} application_name=anicca_standby"]), cwd="/")

    def promote(self):
        """Its own changes wait for nobody."""
        self.query("SELECT pg_promote(true, 60)", USER)
