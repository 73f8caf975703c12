"""A server that answers wrongly in every way: nothing is lost, nothing arrives twice, and no run takes longer than it may."""

import functools
import json
import re
import unicodedata
import unittest

from harness import PROGRAMS
from harness.behaviours import ENDLESS, HONEST_ANSWER, MALFORMED, NUDGES, PAGES, RECEIPTS, cut_in_answer, nudge, page, redirect, reset_in_request
from harness.behaviours import stall, status, trickle
from harness.device import DAYS, MIDNIGHT, Device, run
from harness.server import Server, honest
from harness.world import DAY, HOUR, MINUTE
from trials import FaultTest, name_of

# KiB
MOST_MEMORY = 64 * 1024
REQUEST_LENGTH = 600
# Of the message of a nudge.
MOST_CHARACTERS = 200


@functools.cache
def truth():
    """The rows that an honest server gets, by key."""
    with Server() as server, Device(server.address) as device:
        ended = device.upload()
        assert ended.code == 0 and ended.summary["waiting"] == 0, ended
        server.table.check({key: row for key, row in server.table.rows.items()})
        return dict(server.table.rows)


class ServerTest(FaultTest):
    suite = "server"

    def meet(self, *first, otherwise=honest, delivery="", runs=1):
        """Runs the uploader against a server that begins so; then an honest server has to end up with the truth."""
        with Server() as server, Device(server.address, delivery=delivery) as device:
            server.misbehave(*first, otherwise=otherwise)
            ended = [device.upload() for _ in range(runs)]
            aside = sum(run.summary.get("setAside", 0) for run in ended)
            assert aside == 0, f"{aside} records were set aside"
            server.be_honest()
            device.settle()
            server.table.check(truth())
            return ended[0]

    def each(self, promise, fault, cases, most, delivery="deadline = 2s", otherwise=honest):
        with self.trials(promise, fault) as trials:
            for case in self.sample(cases, most):
                with trials.one(name_of(case)):
                    self.meet(case[1], delivery=delivery, otherwise=otherwise)

    # -- Connections

    def test_a_reset_at_each_byte_of_the_request(self):
        cases = [(f"byte {count}", reset_in_request(count)) for count in range(1, REQUEST_LENGTH)]
        self.each("at-most-once", "a reset at a byte of the request", cases, 25)

    def test_a_cut_at_each_byte_of_the_answer(self):
        cases = [(f"byte {count} {how}", cut_in_answer(count, how, is_stored))
                 for how in ("reset", "end") for is_stored in (True, False) for count in range(len(HONEST_ANSWER) - 1)
                 # The answer without its body is whole in all that its status says; a server that lies is not meant here.
                 if is_stored or count < HONEST_ANSWER.index(b"\r\n\r\n") + 4]
        self.each("at-most-once", "a reset or end at a byte of the answer", cases, 40)

    def test_an_answer_that_stalls(self):
        cases = [(f"byte {count} stall", cut_in_answer(count, "stall")) for count in range(len(HONEST_ANSWER))]
        cases += [("stored", stall(True)), ("not stored", stall()), ("not read", stall(before_reading=True)), ("trickle", trickle())]
        self.each("deadline", "a server that stalls or trickles", cases, 4, delivery="deadline = 1s")

    def test_what_is_no_answer(self):
        self.each("at-most-once", "an answer that is not HTTP", MALFORMED, 99)

    # -- Size

    def test_answers_without_an_end(self):
        with self.trials("bounded", "headers, bodies and trailers without an end") as trials:
            for name, behave in self.sample(ENDLESS, 99):
                with trials.one(name):
                    ended = self.meet(behave, delivery="deadline = 3s")
                    assert ended.peak < MOST_MEMORY, f"the uploader needed {ended.peak // 1024} MB"

    # -- Receipts

    def test_a_login_page_is_no_receipt(self):
        cases = [(f"{name}{' packed' if packed else ''} {code}", page(kind, body, code, packed))
                 for code in (200, 201) for packed in (False, True) for name, kind, body in PAGES]
        with self.trials("receipt", "a login page in every dress") as trials:
            for name, behave in self.sample(cases, 60):
                with trials.one(name):
                    self.meet(behave)

    def test_a_login_page_for_everything(self):
        with self.trials("receipt", "a login page for a whole run") as trials:
            for name, kind, body in self.sample(PAGES, 8):
                with trials.one(name):
                    self.meet(otherwise=page(kind, body))

    def test_what_is_a_receipt(self):
        with self.trials("receipt", "a receipt in every form is one") as trials:
            for name, behave in RECEIPTS:
                with trials.one(name), Server() as server, Device(server.address) as device:
                    server.misbehave(otherwise=behave)
                    ended = device.upload()
                    assert ended.code == 0 and ended.summary["waiting"] == 0, ended
                    server.table.check(truth())

    # -- Nudges

    def test_a_nudge_of_a_stranger_is_short_and_plain(self):
        with self.trials("nudge", "answers with nudges of every kind, to everything") as trials:
            for name, body, is_kept in NUDGES:
                with trials.one(name), Server() as server, Device(server.address) as device:
                    server.misbehave(otherwise=status(200, body=body, is_stored=True))
                    ended = device.upload()
                    assert ended.code == 0 and ended.summary["waiting"] == 0, ended
                    assert ended.peak < MOST_MEMORY, f"the uploader needed {ended.peak // 1024} MB"
                    assert "Stand up" not in ended.out + ended.err, "the message is told"
                    server.table.check(truth())
                    self.check_nudge(device, is_kept)

    def check_nudge(self, device, is_kept):
        """What the wearer is shown of the last."""
        shown = [run([PROGRAMS / "anicca", "status", *more, "--config", device.config], device.environment())
                 for more in ((), ("--json",))]
        assert all(not ended.err and ended.code == 0 for ended in shown), shown
        message = json.loads(shown[1].out).get("alarm", {}).get("lastNudge", {}).get("message")
        assert (message is not None) == is_kept, f"nudged by {message!r}"
        assert len(message or "") <= MOST_CHARACTERS, f"{len(message)} characters"
        assert all(unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp") for character in message or ""), message
        controls = set(map(chr, range(32))) - {"\n"} | {"\x7f", "\x9b"}
        assert not controls & set(shown[0].out), "controls reach the terminal"

    def test_a_nudge_is_played_where_the_wearer_agreed_to_alarms(self):
        with self.trials("nudge", "a nudge at noon, with alarms off and on") as trials:
            for position, outcome in (("off", "not played: alarm is off"), ("on", "played")):
                with trials.one(position), Server() as server, Device(server.address) as device:
                    device.start()
                    device.turn("alarm", position)
                    device.live_until(MIDNIGHT + DAYS * DAY + 12 * HOUR)
                    server.misbehave(otherwise=status(200, body=nudge("Stand up"), is_stored=True))
                    device.upload()
                    device.live(MINUTE)
                    told = set(re.findall(r"a nudge of the server: (.*) \(", device.log_path.read_text()))
                    assert told == {outcome}, f"nudges were {told}"

    # -- Consent

    def test_what_was_turned_off_since_it_was_queued_is_not_sent(self):
        for domain, field in (("steps", "steps"), ("motion", "sedentaryMinutes")):
            with self.subTest(domain), Server() as server, Device(server.address) as device:
                device.turn(domain, "off")
                device.advance(3600)
                device.upload()
                bodies = server.table.bodies().values()
                self.assertTrue(bodies, "nothing came of the other domain")
                self.assertEqual([body for body in bodies if field in body], [], f"{field} came")

    # -- Statuses

    def test_each_status_has_its_consequence(self):
        with self.trials("status", "each status from 100 to 599 for a whole run") as trials:
            for code in self.sample(range(100, 600), 90):
                # After 1xx another answer is waited for.
                delivery = "deadline = 1s" if code < 200 else ""
                with trials.one(code), Server() as server, Device(server.address, delivery=delivery) as device:
                    server.misbehave(otherwise=status(code, body=b"", kind=None))
                    ended = device.upload()
                    self.check_class(code, ended, server, device)

    def check_class(self, code, ended, server, device):
        aside = ended.summary.get("setAside")
        is_refusal = code in range(400, 500) and code not in (401, 403, 404, 405, 407, 408, 425, 429)
        assert aside is not None, ended
        if code in range(200, 300):
            assert ended.summary["waiting"] == 0 and ended.code == 0, ended
            return
        if is_refusal:
            assert 1 <= aside <= 2, f"{aside} were set aside in a run, two at most may"
            assert server.table.requests <= 2, f"{server.table.requests} requests in a run that ends with the second"
        else:
            assert aside == 0, f"{aside} were set aside"
        if code == 401:
            assert server.table.requests == 1, "it asks again with a token that was refused"
            device.advance(7200)
            device.upload()
            assert server.table.requests == 1, "it asks again with a token that was refused"
        # Another account's token, so that whatever waits for it goes on.
        device.sign_in("another-token-of-this-account")
        server.be_honest()
        device.settle()
        server.table.check(truth())

    def test_a_refusal_of_everything_sets_two_aside(self):
        with self.trials("two-aside", "400 and its kin to everything, for five runs") as trials:
            for code in self.sample((400, 402, 406, 409, 410, 411, 413, 414, 415, 422, 431, 451, 499), 5):
                with trials.one(code), Server() as server, Device(server.address) as device:
                    server.misbehave(otherwise=status(code))
                    for number in range(5):
                        before = server.table.requests
                        aside = device.upload().summary["setAside"]
                        assert aside <= 2, f"{aside} were set aside in run {number}"
                        assert server.table.requests - before <= 2, "requests after the second refusal"
                        device.advance(7200)

    def test_what_was_set_aside_goes_when_the_credentials_change(self):
        with self.trials("aside-again", "400 to everything, then another token") as trials:
            for code in self.sample((400, 409, 413, 415, 422), 3):
                with trials.one(code), Server() as server, Device(server.address) as device:
                    server.misbehave(otherwise=status(code))
                    device.upload()
                    device.sign_in("a-new-token-of-this-account")
                    server.be_honest()
                    device.settle()
                    server.table.check(truth())

    def test_an_address_that_is_wrong_for_a_while(self):
        cases = [(f"{code}", status(code)) for code in (404, 405, 407)]
        cases += [(f"{code} to {to}", redirect(code, to)) for code in (300, 301, 302, 303, 304, 305, 307, 308)
                  for to in ("/login", "http://127.0.0.1:9/", "https://portal.test/", "//portal.test", "", "javascript:x")]
        with self.trials("wrong-address", "404, 405, 407 and redirects for some runs") as trials:
            for name, behave in self.sample(cases, 20):
                with trials.one(name):
                    self.meet(otherwise=behave, runs=3)

    def test_a_redirect_is_not_followed(self):
        with self.trials("wrong-address", "redirects to a server that would accept") as trials:
            for code in (301, 302, 303, 307, 308):
                with trials.one(code), Server() as other, Server() as server, Device(server.address) as device:
                    server.misbehave(otherwise=redirect(code, f"{other.address}/mobile/daily_metrics"))
                    device.upload()
                    assert other.connections == 0, "it followed"

    def test_a_stray_403(self):
        with self.trials("forbidden", "403 once, thrice, or for a run, then an honest server") as trials:
            for name, first, otherwise in (("once", 1, honest), ("thrice", 3, honest), ("a run", 0, status(403))):
                with trials.one(name):
                    self.meet(*[status(403)] * first, otherwise=otherwise)

    def test_a_refused_token(self):
        with self.trials("paused", "401 to the N-th request") as trials:
            for number in range(1, len(truth()) + 1):
                with trials.one(number), Server() as server, Device(server.address) as device:
                    server.misbehave(*[honest] * (number - 1), status(401))
                    device.upload()
                    for _ in range(3):
                        device.advance(86400)
                        device.upload()
                        assert server.table.requests == number, "it asks again with a token that was refused"
                    device.sign_in("a-new-token-of-this-account")
                    device.settle()
                    server.table.check(truth())


if __name__ == "__main__":
    unittest.main()
