"""What the server asks to wait, what the network does not give, and the time that a run may take."""

import email.utils
import errno
import socket
import time
import unittest

from harness.behaviours import status
from harness.device import GRACE, Device
from harness.server import Server, honest
from test_server import truth
from trials import FaultTest

DAY = 86400
# Above the longest backoff that is configured here, and the time that the runs themselves take.
SLACK = 30


def forms(wait):
    """The header, as the three forms of a date, for a wait from `now`."""
    return {
        "IMF-fixdate": lambda now: email.utils.formatdate(now + wait, usegmt=True),
        "RFC 850": lambda now: time.strftime("%A, %d-%b-%y %H:%M:%S GMT", time.gmtime(now + wait)),
        "asctime": lambda now: time.strftime("%a %b %e %H:%M:%S %Y", time.gmtime(now + wait)),
    }


class WaitingTest(FaultTest):
    suite = "server"

    def cases(self):
        """Name, the values of the header as functions of the time, and the wait that they mean."""
        for wait in (1, 120, 3600, 7200, DAY - 60, DAY, DAY + 1, 30 * DAY):
            yield f"{wait} s", [lambda now, wait=wait: str(wait)], min(wait, DAY)
        for wait in (120, 7200, DAY - 60, 3 * DAY):
            for name, form in forms(wait).items():
                yield f"{name} in {wait} s", [form], min(wait, DAY)
        for name, form in forms(-7200).items():
            yield f"{name} two hours ago", [form], 0
        for text, wait in (("99999999999", DAY), ("9223372036854775808", DAY), ("1" + "0" * 30, DAY), ("0", 0), ("-120", 0), ("-1e9", 0),
                           ("soon", 0), ("", 0), ("12abc", 0), ("NaN", 0), ("Tue, 99 Foo 2025 99:99:99 GMT", 0)):
            yield f"“{text}”", [lambda now, text=text: text], wait
        yield "twice the same", [lambda now: "3600"] * 2, 3600
        yield "spaces around", [lambda now: "   3600   "], 3600

    def test_retry_after_holds_for_the_server(self):
        cases = [(f"{code} {name}", code, values, wait) for code in (429, 503) for name, values, wait in self.cases()]
        with self.trials("retry-after", "every form of Retry-After on 429 and 503") as trials:
            for name, code, values, wait in self.sample(cases, 40):
                with trials.one(name):
                    self.hold(code, values, wait)

    def hold(self, code, values, wait):
        with Server() as server, Device(server.address) as device:
            headers = [("Retry-After", value(device.wall)) for value in values]
            # 429 is about the server; with 503 two kinds that get it are.
            server.misbehave(status(code, *headers), otherwise=honest if code == 429 else status(code, *headers))
            ended = device.upload()
            server.be_honest()
            asked = server.table.requests
            if wait > 0:
                most = 1 if code == 429 else 2
                assert asked <= most, f"{asked} requests in the run that was told to wait"
            assert ended.summary["setAside"] == 0, ended
            if wait > 60:
                for share in (0.5, 1):
                    device.advance((wait - SLACK) * share if share < 1 else (wait - SLACK) / 2)
                    device.upload()
                    assert server.table.requests == asked, f"it asks {wait - (wait - SLACK) * share:.0f} s before its time"
                device.advance(2 * SLACK)
            else:
                device.advance(wait + SLACK)
            # No time passes for the device, but a busy machine may take more than a deadline for all of them.
            for _ in range(3):
                if device.upload().summary["waiting"] == 0:
                    break
            assert len(server.table.rows) == len(truth()), f"{len(server.table.rows)} of {len(truth())} came when the time was over"
            server.table.check(truth())

    def test_two_that_differ(self):
        """Whichever is meant, nothing is asked before the shorter of them."""
        with self.trials("retry-after", "two that differ") as trials:
            for first, second in (("600", "7200"), ("7200", "600")):
                with trials.one(f"{first}, {second}"), Server() as server, Device(server.address) as device:
                    server.misbehave(status(429, ("Retry-After", first), ("Retry-After", second)))
                    device.upload()
                    device.advance(500)
                    device.upload()
                    assert server.table.requests == 1, "it asks before either is over"
                    device.settle()
                    server.table.check(truth())

    # -- The network

    def test_names_that_nobody_resolves(self):
        with self.trials("deadline", "a name that nobody resolves") as trials:
            for deadline in (1, 3):
                with trials.one(f"{deadline} s"), Device("https://service.test", delivery=f"deadline = {deadline}s") as device:
                    ended = device.upload(FAULT_SILENT_NAMES="25")
                    assert ended.code == 75, ended
                    assert ended.seconds < deadline + GRACE, ended

    def test_a_server_that_takes_no_connection(self):
        """The queue of its socket is full: no answer, no refusal."""
        with self.trials("deadline", "a server that takes no connection") as trials, trials.one("full"):
            with socket.create_server(("127.0.0.1", 0), backlog=0) as silent:
                waiting = []
                for _ in range(3):
                    link = socket.socket()
                    link.setblocking(False)
                    link.connect_ex(silent.getsockname())
                    waiting.append(link)
                with Device(f"http://127.0.0.1:{silent.getsockname()[1]}", delivery="deadline = 2s") as device:
                    ended = device.upload()
                    assert ended.code == 75, ended
                for link in waiting:
                    link.close()

    def test_what_does_not_reach_the_server_is_no_attempt(self):
        def every(kind, error):
            return {"FAULT": f"{kind}:1-0", "FAULT_ERROR": str(error)}
        faults = [("refused", {}), ("no route", every("connect", errno.EHOSTUNREACH)), ("no network", every("connect", errno.ENETUNREACH)),
                  ("no socket", every("socket", errno.EAFNOSUPPORT)), ("no name", every("resolve", errno.EAGAIN))]
        with self.trials("not-an-attempt", "no network, no name, no connection, six times in a day") as trials:
            for name, faults_of_runs in faults:
                with trials.one(name):
                    self.fail_to_reach(name, faults_of_runs)

    def fail_to_reach(self, name, environment):
        with Server() as server, Device(server.address, delivery="attempts-per-day = 2") as device:
            if name == "refused":
                device.configure("http://127.0.0.1:1", delivery="attempts-per-day = 2")
            if name == "no name":
                device.configure("https://service.test", delivery="attempts-per-day = 2")
            for _ in range(6):
                ended = device.upload(**environment)
                assert ended.code == 75, ended
                device.advance(120)
            assert server.table.requests == 0
            device.configure(server.address, delivery="attempts-per-day = 2")
            device.advance(120)
            device.upload()
            server.table.check(truth())

    def test_network_that_comes_back(self):
        """The wait after a failure to reach anybody is not that of a server that failed: a minute is enough."""
        with self.trials("not-an-attempt", "six failures to connect with the longest backoff, then a network") as trials:
            for number in (1, 6):
                with trials.one(number), Server() as server, Device("http://127.0.0.1:1", delivery=LONG) as device:
                    for _ in range(number):
                        device.upload()
                        device.advance(600)
                    device.configure(server.address, delivery=LONG)
                    device.advance(60)
                    device.upload()
                    server.table.check(truth())


LONG = "first-retry = 3600s\nlongest-retry = 86400s"

if __name__ == "__main__":
    unittest.main()
