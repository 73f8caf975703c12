"""Which call of a program is to fail, and how; and a world whose daemon has such a call."""

import collections
import errno
import pathlib
import re
import signal

from harness import FAULTSHIM, SHIM
from harness.device import CRASHES
from harness.world import World

HALF = 0
#: The errors that fit a class of calls (classes of faultshim.c). HALF: a short read or write.
ERRORS = {
    "open": (errno.EMFILE, errno.EIO, errno.ENOMEM, errno.EINTR),
    "read": (errno.EIO, errno.EINTR, HALF),
    "write": (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EINTR, HALF),
    "sync": (errno.EIO, errno.ENOSPC),
    "size": (errno.ENOSPC, errno.EIO, errno.EFBIG),
    "map": (errno.ENOMEM,),
    "name": (errno.EIO, errno.EROFS, errno.ENOSPC),
    "stat": (errno.EIO, errno.ENOMEM, errno.EACCES),
    "lock": (errno.ENOLCK, errno.EINTR, errno.EAGAIN),
    "socket": (errno.EMFILE, errno.ENOMEM, errno.EAFNOSUPPORT),
    "connect": (errno.ECONNREFUSED, errno.ETIMEDOUT, errno.ENETUNREACH, errno.EINTR),
    "send": (errno.ECONNRESET, errno.EPIPE, errno.EAGAIN, errno.EINTR, HALF),
    "receive": (errno.ECONNRESET, errno.EAGAIN, errno.EINTR, HALF),
    "wait": (errno.EINTR, errno.ENOMEM),
    "resolve": (errno.EAGAIN,),
    "control": (errno.EIO, errno.ENOTTY),
    "watch": (errno.ENOMEM, errno.ENOSPC),
    "memory": (errno.ENOMEM,),
}


# Lines of a daemon when all is well, with their time.
USUAL = re.compile(r"\S+ anicca-lab: (debug|info|notice):")


class Fault(collections.namedtuple("Fault", "kind number error")):
    __slots__ = ()

    def __str__(self):
        return f"{self.kind}:{self.number}:{errno.errorcode.get(self.error, 'HALF')}"

    def environment(self, told):
        return {"FAULT": f"{self.kind}:{self.number}", "FAULT_ERROR": str(self.error), "FAULT_TOLD": str(told)}


def counted(file):
    """How many calls of each class a process made."""
    with open(file, encoding="utf-8", errors="replace") as lines:
        return collections.Counter(line.split(" ", 1)[0] for line in lines)


def faults(counts, kinds=None):
    """All faults of a process that makes so many calls."""
    for kind in sorted(counts):
        if (kind != "memory") if kinds is None else kind in kinds:
            for number in range(1, counts[kind] + 1):
                for error in ERRORS[kind]:
                    yield Fault(kind, number, error)


def drawn(random, counts, most, kinds=None, is_whole=False):
    """A sample in which each class has its share, however few its calls are."""
    every = list(faults(counts, kinds))
    if is_whole or len(every) <= most:
        return every
    by_kind = collections.defaultdict(list)
    for fault in every:
        by_kind[fault.kind].append(fault)
    share = max(1, most // len(by_kind))
    few = [fault for kind in by_kind.values() for fault in random.sample(kind, min(share, len(kind)))]
    rest = sorted(set(every) - set(few))
    return sorted(few + random.sample(rest, max(0, min(len(rest), most - len(few)))))


def told_of(told):
    """Class, name, path and caller of the call that failed, or nothing when none did."""
    return pathlib.Path(told).read_text(errors="replace") if pathlib.Path(told).exists() else ""


def caller(told):
    """The object from which that call came."""
    return (told_of(told).split() or [""])[-1]


def is_by_design(ended_code, told):
    """Whether a program ended because the runtime of Swift, which is in it, got no memory: it ends the program then."""
    who = caller(told)
    return -ended_code in set(map(int, CRASHES)) and "/lib" not in who


class FaultyWorld(World):
    """A world in which a call of the daemon fails; a daemon that ended is started again without faults."""

    def __init__(self, environment=None, **words):
        super().__init__(**words)
        self.faults = environment or {}
        self.ends = []  # How daemons ended

    def _environment(self, drives=False):
        environment = super()._environment(drives)
        if drives:
            environment.update(self.faults, LD_PRELOAD=f"{FAULTSHIM}:{SHIM}")
        return environment

    def _wait(self):
        for _ in range(3):
            try:
                super()._wait()
                return
            except AssertionError:
                code = self.daemon.poll()
                if code is None:
                    raise  # It hangs.
                self.check_end(code)
                self.faults = {}
                limit = self.clocks.limit
                self.start_again()
                self.clocks.unpark()
                self.clocks.limit = limit
        raise AssertionError(f"the daemon does not stay:\n{self.log[-500:]}")

    def start_again(self):
        """As systemd does."""
        self.clocks.limit = self.clocks.boot
        self.start()

    def check_end(self, code):
        self.ends.append(code)
        if code < 0 and -code in set(map(int, CRASHES)):
            if self.is_forgiven(code):
                return
            raise AssertionError(f"the daemon ended by {signal.Signals(-code).name}:\n{self.log[-500:]}")
        said = self.log.splitlines()
        assert said and not USUAL.match(said[-1]), f"the daemon ended with {code} and no message: {said[-1:]}"

    def is_forgiven(self, code):
        told = self.faults.get("FAULT_TOLD")
        return bool(told) and self.faults.get("FAULT", "").startswith("memory") and is_by_design(code, told)
