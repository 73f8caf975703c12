"""Random sessions: the uploader is killed at any time, against a server that misbehaves in any way. In the end the server has the truth."""

import unittest

from harness.behaviours import ENDLESS, HONEST_ANSWER, MALFORMED, PAGES, cut_in_answer, page, redirect, reset_in_request, stall, status, trickle
from harness.device import Device
from harness.server import Server, honest
from test_server import REQUEST_LENGTH, truth
from trials import IS_WHOLE, FaultTest

SESSIONS = 600
SAMPLED_SESSIONS = 500
SESSIONS_OF_A_DEVICE = 10
# Behaviours that send without an end take seconds of the processor; these are enough here.
SHORT_ENDLESS = [behave for name, behave in ENDLESS if name in ("a header without an end", "a chunk extension without an end")]
#: Seconds. An undisturbed run takes some 0.03.
KILLED_WITHIN = (0.015, 0.03, 0.03, 0.06, 0.06, 0.2)
#: Runs without a completion lead to a wait of this at most.
LONGEST_WAIT = 7200


def behaviour(random):
    """Draws one. Refusals for good are left out: what they concern is set aside and not lost, but it does not arrive."""
    kind = random.choice(("honest", "honest", "request", "answer", "stall", "slow", "malformed", "page", "status", "redirect", "endless"))
    if kind == "honest":
        return honest
    if kind == "request":
        return reset_in_request(random.randrange(1, REQUEST_LENGTH))
    if kind == "answer":
        return cut_in_answer(random.randrange(len(HONEST_ANSWER)), random.choice(("reset", "end")), True)
    if kind == "stall":
        return stall(random.random() < 0.5, random.random() < 0.3, seconds=random.choice((0.05, 0.2, 60)))
    if kind == "slow":
        return trickle(random.choice((0.0005, 0.002)))
    if kind == "malformed":
        return random.choice(MALFORMED)[1]
    if kind == "page":
        _, of_kind, body = random.choice(PAGES)
        return page(of_kind, body, random.choice((200, 201, 202)), random.random() < 0.5)
    if kind == "status":
        code = random.choice((301, 401, 403, 404, 405, 407, 408, 425, 429, 429, 500, 502, 503, 503, 504, 507))
        headers = [("Retry-After", random.choice(("1", "60", "600", "soon")))] if code in (429, 503) else []
        # Some servers store what they call failed.
        return status(code, *headers, is_stored=random.random() < 0.3 and code >= 500)
    if kind == "redirect":
        return redirect(random.choice((301, 302, 307)), "/elsewhere")
    return random.choice(SHORT_ENDLESS)


class SessionsTest(FaultTest):
    suite = "server"

    def test_killed_at_any_time_against_any_server(self):
        lives = (SESSIONS if IS_WHOLE else SAMPLED_SESSIONS) // SESSIONS_OF_A_DEVICE * (5 if IS_WHOLE else 1)
        kills = 0
        what = "sessions of ten runs, killed at random, against random misbehaviour"
        with self.several(("at-most-once", "same-bytes"), what) as (arrivals, bodies):
            for life in self.sample(range(lives), lives):
                with Server() as server:
                    with arrivals.one(life):
                        kills += self.live(life, server)
                    with bodies.one(life):
                        assert not server.table.wrongs, server.table.wrongs[0]
            arrivals.note("runs", lives * SESSIONS_OF_A_DEVICE)
            arrivals.note("kills", kills)

    def kill(self, random, server):
        """When: never, after a time, or as soon as the server has got another request, or even some more."""
        if random.random() < 0.05:
            return {}
        if random.random() < 0.4:
            return {"kill_after": random.uniform(0, random.choice(KILLED_WITHIN))}
        enough = server.table.requests + random.choice((1, 1, 1, 2, 3, 6))
        return {"kill_when": lambda: server.table.requests >= enough}

    def live(self, life, server):
        """Some runs of one device, of which most are killed; a seed of its own repeats it."""
        random = type(self.random)(f"{self.id()} {life} {self.seed}")
        kills = 0
        with Device(server.address, delivery="deadline = 1s") as device:
            for _ in range(SESSIONS_OF_A_DEVICE):
                server.misbehave(*[behaviour(random) for _ in range(8)], otherwise=honest)
                ended = device.upload(**self.kill(random, server))
                kills += ended.was_killed
                assert ended.was_killed or ended.summary.get("setAside") == 0, f"set aside: {ended}"
                if random.random() < 0.5:
                    device.sign_in(f"token-{random.randrange(1000)}")
                device.advance(random.choice((5, LONGEST_WAIT, LONGEST_WAIT, LONGEST_WAIT)))
            server.be_honest()
            device.sign_in("the-last-token-of-this-account")
            device.settle()
            server.table.check(truth())
        return kills


if __name__ == "__main__":
    unittest.main()
