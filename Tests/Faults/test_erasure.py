"""Requests to erase, accounts that were mistyped, and records that always fail: each keeps nothing else from the server."""

import json
import unittest

from harness import PROGRAMS
from harness.behaviours import by_path, cut_in_answer, reset_in_request, stall, status
from harness.device import Device, run
from harness.life import USER
from harness.server import Server, honest
from harness.world import MINUTE
from test_server import truth
from trials import FaultTest

DAY = 86400
ERASURE, EVENT = "/mobile/erasure", "/nudge/trigger"
TYPO = USER.replace("6f1c2a9e", "6f1c2a9f")


class ErasureTest(FaultTest):
    suite = "server"

    def anicca(self, device, *words, code=0):
        ended = run([PROGRAMS / "anicca", *words, "--config", device.config], device.environment())
        assert ended.code == code, ended
        return ended

    def test_a_request_that_fails_for_weeks_keeps_nothing_else(self):
        """28 of 28 records were dropped beside one that was always answered with 503 and a Retry-After of six hours."""
        wait = ("Retry-After", str(6 * 3600))
        cases = [(f"{code}", (code,)) for code in (301, 400, 401, 403, 404, 405, 407, 501, 500, 503)]
        cases += [(f"{code}, six hours", (code, wait)) for code in (404, 429, 501, 503)]
        with self.trials("erasure", "a request to erase that always fails, for 40 days, and everything else") as trials:
            for name, answer in self.sample(cases, 6):
                with trials.one(name):
                    self.fail_for_weeks(*answer)

    def fail_for_weeks(self, *answer):
        failing = by_path(ERASURE, status(*answer))
        with Server() as server, Device(server.address) as device:
            # One has left the device; the others wait.
            server.misbehave(honest, otherwise=status(429))
            device.upload()
            assert len(server.table.rows) == 1, server.table.rows
            self.anicca(device, "forget", "motion", "--yes")
            # The store knows this boot's clock then, by which data may be deleted a day later.
            device.start()
            device.live(MINUTE)
            device.shut_down()
            waiting = [item for item in device.ask("queue") if "erases" not in item]
            assert waiting, "nothing waits beside the request"
            server.misbehave(otherwise=failing)
            for _ in range(3):
                device.advance(DAY)
                device.upload()
            left = [item for item in device.ask("queue") if "erases" not in item]
            assert not left, f"{len(left)} of {len(waiting)} wait still"
            asked = server.table.requests
            told = ""
            for _ in range(37):
                device.advance(DAY)
                told += device.upload().err
            assert server.table.requests - asked >= 25, f"it was asked {server.table.requests - asked} times in five weeks"
            assert "never carried it out" in told, "its end is not told"
            assert not device.ask("queue"), "it waits still"

    def test_a_refusal_is_told_and_then_it_is_followed(self):
        with self.trials("erasure", "a server that offers erasure after a week") as trials:
            for code in (404, 405, 501):
                with trials.one(code), Server() as server, Device(server.address) as device:
                    device.upload()
                    self.anicca(device, "forget", "motion", "--yes")
                    server.misbehave(otherwise=by_path(ERASURE, status(code)))
                    assert "ask its operator" in device.upload().err, "the refusal is not told"
                    assert "does not erase" in self.anicca(device, "status").out, "status does not tell"
                    server.misbehave(otherwise=by_path(ERASURE, status(200)))
                    device.advance(7 * DAY)
                    assert device.upload().summary["deliveredErasures"] == 1
                    assert "does not erase" not in self.anicca(device, "status").out

    def test_a_request_that_may_have_arrived_comes_again_as_it_was(self):
        with self.trials("erasure", "a request to erase of which the answer, or the run, ends early") as trials:
            for name, behave in (("reset in it", reset_in_request(40)), ("503", status(503)), ("stored, no answer", cut_in_answer(0)),
                                 ("stored, half an answer", cut_in_answer(30, "end")), ("stored, killed", stall(is_stored=True))):
                with trials.one(name), Server() as server, Device(server.address, delivery="deadline = 2s") as device:
                    device.upload()
                    self.anicca(device, "forget", "motion", "--yes")
                    server.misbehave(otherwise=by_path(ERASURE, behave))
                    for _ in range(3):
                        asked = server.table.requests
                        device.upload(kill_when=(lambda asked=asked: server.table.requests > asked) if "killed" in name else None)
                        device.advance(2 * 3600)
                    server.be_honest()
                    device.settle()
                    came = [path for path, _ in server.table.rows.values() if path == ERASURE]
                    assert (len(came), server.table.wrongs) == (1, []), (came, server.table.wrongs)
                    assert not device.ask("queue"), "it waits still"

    def test_an_event_that_always_fails_takes_no_other_with_it(self):
        with self.trials("retry-after", "one record that is always answered with a Retry-After of a day") as trials:
            for code in (408, 425, 500, 503):
                with trials.one(code), Server() as server, Device(server.address) as device:
                    poisoned = []

                    def behave(connection, code=code, poisoned=poisoned):
                        request = connection.request()
                        if request.path == EVENT and not poisoned:
                            poisoned.append(request.key)
                        if request.key in poisoned:
                            connection.answer(code, [("Retry-After", str(DAY))])
                        else:
                            connection.answer(connection.table.take(request))

                    server.misbehave(otherwise=behave)
                    ended = device.upload()
                    assert poisoned and ended.summary["waiting"] == 1, ended
                    assert len(server.table.rows) == len(truth()) - 1, f"{len(server.table.rows)} of {len(truth())} came"

    def test_a_mistyped_user_id_that_is_corrected_loses_nothing(self):
        with self.trials("one-account", "a user id with a digit wrong, corrected after a day") as trials:
            for code in (401, 403, 404):
                with trials.one(code), Server() as server, Device(server.address) as device:
                    right = device.config.read_text("utf-8")
                    device.config.write_text(right.replace(USER, TYPO), "utf-8")
                    server.misbehave(otherwise=status(code))
                    device.upload()
                    device.config.write_text(right, "utf-8")
                    server.be_honest()
                    device.advance(DAY)
                    before = len(server.table.rows)
                    ended = device.upload()
                    assert len(server.table.rows) == before and ended.summary["waiting"] == len(truth()), ended
                    assert "--same-person" in ended.err, "the wearer is not told what to do"
                    self.anicca(device, "queue", "retry", "--same-person")
                    device.settle()
                    bodies = server.table.bodies()
                    assert not server.table.wrongs, server.table.wrongs
                    assert bodies.keys() == {(path, *name(json.loads(body))) for path, body in truth().values()}, bodies.keys()
                    assert all(body.get("userId", USER) == USER for body in bodies.values()), "one names the wrong account"

    def test_what_waits_for_another_person_is_not_sent(self):
        with self.trials("one-account", "another user id, and nobody says that it is the same person") as trials:
            with trials.one("another"), Server() as server, Device(server.address) as device:
                server.misbehave(otherwise=status(429))
                device.upload()
                device.config.write_text(device.config.read_text("utf-8").replace(USER, TYPO), "utf-8")
                server.be_honest()
                for _ in range(3):
                    device.advance(DAY)
                    device.upload()
                assert not server.table.rows, "what was collected for one was sent for another"
                # Whoever it is for signs in again.
                device.config.write_text(device.config.read_text("utf-8").replace(TYPO, USER), "utf-8")
                device.settle()
                server.table.check(truth())


def name(body):
    return (body["date"],) if "date" in body else (body["eventType"], body["timestamp"])


if __name__ == "__main__":
    unittest.main()
