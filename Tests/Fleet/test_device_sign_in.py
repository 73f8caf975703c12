"""The programs of a device sign in by a code, deliver, and renew their tokens."""

import fcntl
import http.server
import json
import os
import threading
import unittest

import test_front
from harness.device import WithoutAccount
from harness.fleet import OWNER, PINNED_KEY, PUBLIC_URL, RECEIVER, SERVING, World
from harness.processes import Process

DAY = 86_400


class DeviceSignInTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World().__enter__()
        cls.addClassCleanup(cls.world.__exit__, None, None, None)

    def setUp(self):
        self.log = self.world.directory / f"plain-{self.id()}.log"
        self.receiver = Process([RECEIVER, "serve", "--database", self.world.cluster.url(SERVING), "--listen", "127.0.0.1:0",
                                 "--public-url", PUBLIC_URL, "--pinned-key", PINNED_KEY], self.log, stdout=-1)
        self.addCleanup(self.receiver.kill)
        self.address = f"http://127.0.0.1:{json.loads(self.receiver.output.readline())['port']}"

    def sign_in(self, device, participant):
        """Approves the code that the device shows; what it printed."""
        with device.start("sign-in") as process:
            try:
                lines = [process.stderr.readline() for _ in range(3)]
                self.world.owner("approve", lines[2].strip(), participant)
                said, more = process.communicate(timeout=60)
            finally:
                process.kill()
        self.assertEqual(process.returncode, 0, more)
        return "".join(lines) + more, said

    def sql(self, text):
        return self.world.cluster.query(text, user=OWNER)

    def test_a_device_signs_in_delivers_and_renews_its_tokens(self):
        with WithoutAccount(self.address) as device:
            self.assertEqual(device.upload().summary["end"], "signedOut")
            shown, said = self.sign_in(device, "P100")
            account, = [row[0] for row in self.sql("SELECT account FROM participant WHERE name = 'P100'")]
            self.assertEqual(said, f"signed in as {account}\n")
            self.assertIn(f"{PUBLIC_URL}/oauth/device", shown)
            self.assertEqual(device.account[0], account)
            self.assertEqual([line.split()[0] for line in device.account[2:]], ["refresh-token", "renewal-due", "pinned-key"])
            self.assertEqual(os.stat(device.directory / "anicca.account").st_mode & 0o777, 0o600)
            self.assertEqual(device.settle().summary["waiting"], 0)
            self.assertIsNone(device.renewed, "the token is fresh")
            days = self.sql(f"SELECT count(*) FROM daily_figures WHERE account = '{account}'")
            self.assertNotEqual(days, [("0",)])

            device.advance(21 * DAY)
            self.assertEqual(device.upload().code, 0)
            first = device.renewed
            self.assertIsNotNone(first)
            for secret in (device.account[1], device.account[2].split()[1]):
                self.assertNotIn(secret.encode(), first)
            device.upload()
            self.assertEqual(device.renewed, first, "once")
            device.advance(21 * DAY)
            device.upload()
            self.assertNotEqual(device.renewed, first)
            self.assertEqual(self.sql(f"SELECT count(*) FROM device WHERE account = '{account}'"), [("2",)])

    def test_a_renewal_whose_answer_or_file_is_lost_costs_nothing(self):
        with WithoutAccount(self.address) as device:
            self.sign_in(device, "P101")
            device.advance(21 * DAY)
            os.mkdir(device.directory / "anicca.renewed.new")  # No draft can be written.
            (device.directory / "anicca.renewed.new/x").touch()
            ended = device.upload()
            self.assertIn("the renewed token cannot be stored", ended.err)
            self.assertEqual(ended.summary["waiting"], 0, "the old token is valid")
            (device.directory / "anicca.renewed.new/x").unlink()
            os.rmdir(device.directory / "anicca.renewed.new")
            device.advance(DAY)
            self.assertNotIn("cannot", device.upload().err)
            self.assertIsNotNone(device.renewed)
            self.receiver.kill()
            device.advance(25 * DAY)
            self.assertIn("could not be renewed", device.upload().err)

    def test_an_enrolment_signs_one_device_in_without_a_terminal(self):
        lines = self.world.owner("enroll", "P105", "--device", "band", "--public-url", self.address).splitlines()
        self.assertEqual(len(lines), 2, "the card does not name the participant")
        self.assertEqual(lines[0], f"server = {self.address}")
        code = lines[1].removeprefix("enrolment = ")
        with WithoutAccount(self.address) as device, WithoutAccount(self.address) as other:
            self.assertEqual(device.enrol(code), 0)
            self.assertEqual(device.settle().summary["waiting"], 0)
            self.assertEqual(self.sql("SELECT device.name FROM device JOIN participant USING (account) WHERE participant.name = 'P105'"), [("band",)])
            self.sql("UPDATE sign_in SET expires_at = expires_at - interval '10 minutes' WHERE token IS NOT NULL")
            self.assertEqual(other.enrol(code), 64)
            self.assertFalse((other.directory / "anicca.account").exists())
            account = device.account
            self.assertEqual(device.enrol("unknown"), 64)
            self.assertEqual(device.account, account, "a failure leaves the account")
            self.receiver.kill()
            self.assertEqual(device.enrol(code), 69)

    def test_a_token_that_ended_is_renewed_and_a_revoked_device_is_told(self):
        with WithoutAccount(self.address) as device:
            self.sign_in(device, "P102")
            account = device.account[0]
            self.sql(f"UPDATE device SET expires_at = now() WHERE account = '{account}'")
            self.assertEqual(device.upload().summary["end"], "paused")
            self.assertEqual(device.settle().summary["waiting"], 0, "renewed at the next run, although it was not due")
            self.world.owner("revoke", "--account", account)
            device.advance(30 * DAY)
            self.assertIn("the server ended the sign-in of this device", device.upload().err)
            device.advance(DAY)
            self.assertNotIn("ended the sign-in", device.upload().err, "the server is asked no more")
            self.sign_in(device, "P102")
            self.assertIsNone(device.renewed, "another sign-in counts alone")
            self.assertEqual(device.account[0], account)

    def test_a_renewed_account_of_another_store_or_sign_in_does_not_count(self):
        with WithoutAccount(self.address) as device:
            self.sign_in(device, "P103")
            device.advance(21 * DAY)
            device.upload()
            (device.directory / "anicca.renewed").write_bytes(b"\0" * 300)
            self.assertEqual(device.upload().code, 0)
            self.assertGreater(len(device.renewed), 0)
            process = device.start("sign-out")
            self.assertEqual((process.communicate(timeout=30)[0], device.renewed), ("signed out\n", None))

    def leave(self, device, *words):
        """The exit status, and what it printed."""
        with device.start("leave", *words) as process:
            said, more = process.communicate(timeout=120)
        return process.returncode, said, more

    def devices_in(self, account):
        return int(self.sql(f"SELECT count(*) FROM device WHERE account = '{account}' AND revoked_at IS NULL")[0][0])

    def test_a_device_leaves_and_the_study_sees_it(self):
        with WithoutAccount(self.address) as device, WithoutAccount(self.address) as other:
            self.sign_in(device, "P110")
            self.sign_in(other, "P110")
            account = device.account[0]
            self.assertEqual(device.settle().summary["waiting"], 0)
            for _ in range(2):
                device.advance(21 * DAY)
                device.upload()
            self.assertEqual(self.devices_in(account), 3, "two tokens of the device that renewed them, and one of the other")
            self.assertEqual(self.leave(device)[0], 64, "nobody can be asked")
            self.assertEqual(self.leave(device, "--yes")[:2], (0, "left, and signed out\n"))
            self.assertEqual((device.renewed, (device.directory / "anicca.account").exists()), (None, False))
            self.assertEqual(self.devices_in(account), 1, "the other device stays")
            self.assertEqual(other.upload().summary["waiting"], 0)
            self.assertEqual(self.leave(other, "--yes")[0], 0)
            row, = [line for line in self.world.owner("page", "--days", "5").split("<tr>") if "P110" in line]
            self.assertIn("left on ", row)
            self.assertEqual(self.leave(device, "--yes")[:2], (0, "no account was signed in\n"))

    def test_a_device_leaves_after_a_last_delivery_or_with_an_erasure(self):
        for participant, word, days in (("P111", "--last-delivery", True), ("P112", "--erase", False)):
            with self.subTest(word), WithoutAccount(self.address) as device:
                self.sign_in(device, participant)
                account = device.account[0]
                if not days:
                    self.assertEqual(device.settle().summary["waiting"], 0)
                code, said, more = self.leave(device, word, "--yes")
                self.assertEqual((code, said), (0, "left, and signed out\n"), more)
                records = int(self.sql(f"SELECT count(*) FROM daily_figures WHERE account = '{account}'")[0][0])
                self.assertEqual(records > 0, days, more)
                self.assertEqual(self.devices_in(account), 0)

    def test_what_another_store_of_the_account_had_sent_is_erased_too(self):
        with WithoutAccount(self.address) as lost, WithoutAccount(self.address) as device:
            self.sign_in(lost, "P117")
            self.assertEqual(lost.settle().summary["waiting"], 0)
            self.sign_in(device, "P117")
            account = device.account[0]
            code, said, more = self.leave(device, "--erase", "--yes")
            self.assertEqual((code, said), (0, "left, and signed out\n"), more)
            self.assertIn("is asked to erase everything all the same", more)
            for table in ("daily_record", "event"):
                self.assertEqual(self.sql(f"SELECT count(*) FROM {table} WHERE account = '{account}'"), [("0",)])
            code, _, more = self.leave(device, "--erase", "--yes")
            self.assertEqual(code, 69, more)
            self.assertEqual(device.ask("queue"), [])

    def test_a_last_delivery_waits_for_a_run_that_began_by_itself(self):
        with WithoutAccount(self.address) as device, open(device.directory / "upload.lock", "w", encoding="ascii") as lock:
            self.sign_in(device, "P118")
            account = device.account[0]
            # As a run holds it (Sources/System, RunLock).
            fcntl.flock(lock, fcntl.LOCK_EX)
            fcntl.lockf(lock, fcntl.LOCK_EX, 1, 0)
            timer = threading.Timer(2, lambda: (fcntl.lockf(lock, fcntl.LOCK_UN, 1, 0), fcntl.flock(lock, fcntl.LOCK_UN)))
            timer.start()
            code, said, more = self.leave(device, "--last-delivery", "--yes")
            timer.join()
            self.assertEqual((code, said), (0, "left, and signed out\n"), more)
            self.assertNotEqual(self.sql(f"SELECT count(*) FROM daily_record WHERE account = '{account}'"), [("0",)])

    def test_a_device_that_the_server_does_not_hear_stays(self):
        with WithoutAccount(self.address) as device:
            self.sign_in(device, "P113")
            before = device.account
            self.receiver.kill()
            for words in (["--yes"], ["--erase", "--yes"], ["--last-delivery", "--yes"]):
                code, said, more = self.leave(device, *words)
                self.assertEqual((code, said, device.account), (75, "", before), more)
                self.assertIn("you did not leave yet", more)

    def test_nobody_leaves_behind_what_is_to_be_erased_or_delivered(self):
        with WithoutAccount(self.address) as device:
            self.sign_in(device, "P114")
            account = device.account[0]
            self.assertEqual(device.settle().summary["waiting"], 0)
            self.sql(f"UPDATE device SET revoked_at = now() WHERE account = '{account}'")
            for words in (["--erase"], []):
                code, _, more = self.leave(device, *words, "--yes")
                self.assertEqual(code, 75)
                self.assertIn("has not erased yet", more)
            self.assertEqual(device.start("sign-out").communicate(timeout=30)[0], "signed out\n", "which tells the server nothing")
        with WithoutAccount(self.address) as device:
            self.sign_in(device, "P115")
            account = device.account[0]
            self.assertEqual(device.settle().summary["waiting"], 0)
            process = device.start("forget", "--all", "--yes")
            self.assertEqual(process.wait(60), 0, process.communicate())
            code, _, more = self.leave(device, "--yes")
            self.assertEqual(code, 75)
            self.assertIn("has not erased yet", more)
            self.assertEqual(self.leave(device, "--erase", "--yes")[0], 0)
            self.assertEqual(self.sql(f"SELECT count(*) FROM daily_record WHERE account = '{account}'"), [("0",)])
        with WithoutAccount(self.address) as device:
            self.sign_in(device, "P116")
            account = device.account[0]
            self.sql(f"UPDATE device SET expires_at = now() WHERE account = '{account}'")
            code, _, more = self.leave(device, "--last-delivery", "--yes")
            self.assertEqual(code, 75)
            self.assertIn("the server refuses the token", more)
            self.assertEqual(self.leave(device, "--last-delivery", "--yes")[0], 0, "the token is renewed")
            self.assertNotEqual(self.sql(f"SELECT count(*) FROM daily_record WHERE account = '{account}'"), [("0",)])

    def test_a_server_that_ends_no_sign_in_is_told(self):
        with WithoutAccount(None) as device, Answers({}, {}) as address:
            device.configure(address)
            device.keep_account()
            code, said, more = self.leave(device, "--yes")
            self.assertEqual((code, said), (0, "left, and signed out\n"))
            self.assertIn("the server does not end sign-ins", more)

    def test_a_server_without_codes_is_told(self):
        plain = Process([RECEIVER, "--port", "0", "--store", self.world.directory / "plain.sqlite"], self.log, stdout=-1)
        self.addCleanup(plain.kill)
        address = f"http://127.0.0.1:{json.loads(plain.output.readline())['port']}"
        with WithoutAccount(address) as device:
            process = device.start("sign-in")
            self.assertIn("there is no terminal to ask on; give --user-id", process.communicate(timeout=30)[1])
            self.assertEqual(process.returncode, 64)
        self.receiver.kill()
        with WithoutAccount(self.address) as device:
            process = device.start("sign-in")
            self.assertIn("no code to sign in with: ", process.communicate(timeout=30)[1])
            self.assertEqual(process.returncode, 64)
            self.assertFalse((device.directory / "anicca.account").exists())

    def test_a_hostile_answer_is_refused_and_shows_nothing(self):
        code = {"device_code": "x", "user_code": "ABCD-EFGH", "verification_uri": "https://a.example/", "expires_in": 600, "interval": 1}
        for code_answer, token_answer, said in (
                (b"<html>", None, "no code to sign in with"), (b"{", None, "no code to sign in with"),
                ({}, None, "no code"), ({**code, "user_code": "\x1b[2J"}, None, "no code"), ({**code, "user_code": "A" * 33}, None, "no code"),
                ({**code, "verification_uri": "javascript:1"}, None, "no code"), ({**code, "device_code": "a b"}, None, "no code"),
                (b"[" * 9000, None, "no code"), (b"{" + b" " * 200_000, None, "no code"),
                (code, {"error": "access_denied"}, "the code was refused"), (code, {"error": "\x1b[2J"}, "trying again"),
                (code, {"access_token": "t", "token_type": "Bearer", "user_id": "me"}, "trying again"),
                (code, {"access_token": "a\nb", "token_type": "Bearer", "user_id": test_front.ACCOUNT}, "trying again"),
                (code, {"access_token": "t", "token_type": "Bearer", "user_id": test_front.ACCOUNT, "pinned_key": "sha256//AAAA"}, "trying again"),
                (code, {"access_token": "t", "token_type": "mac", "user_id": test_front.ACCOUNT}, "trying again")):
            with self.subTest(code=code_answer, token=token_answer), Answers(code_answer, token_answer) as address:
                with WithoutAccount(address) as device, device.start("sign-in") as process:
                    try:
                        lines = []
                        for line in process.stderr:
                            lines.append(line)
                            if said in line:
                                break
                    finally:
                        process.kill()
                    self.assertIn(said, "".join(lines))
                    self.assertNotIn("\x1b", "".join(lines))
                    self.assertFalse((device.directory / "anicca.account").exists())


class Answers(http.server.ThreadingHTTPServer):
    """A server that answers the first path with one text or object, and the other one with the other."""

    def __init__(self, code, token):
        super().__init__(("127.0.0.1", 0), AnswersHandler)
        self.answers = {"/oauth/device_authorization": code, "/oauth/token": token}

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server_port}"

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class AnswersHandler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):  # pylint: disable=invalid-name
        if self.path not in self.server.answers:
            return self.send_error(404)
        answer = self.server.answers[self.path]
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(400 if isinstance(answer, dict) and "error" in answer else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass


if __name__ == "__main__":
    unittest.main()
