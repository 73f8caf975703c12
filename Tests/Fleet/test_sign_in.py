"""Signing devices in by a code (RFC 8628), as any client does it: over nginx and two receivers, with the wrong answers too."""

import concurrent.futures
import csv
import functools
import http.client
import io
import json
import re
import time
import unittest
import urllib.parse

import test_front
from harness.fleet import OWNER, PINNED_KEY, PUBLIC_URL, World
from harness.processes import Failed

AUTHORIZATION, TOKEN, REVOCATION = "/oauth/device_authorization", "/oauth/token", "/oauth/revoke"
CODE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class SignInTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World().__enter__()
        cls.addClassCleanup(cls.world.__exit__, None, None, None)
        cls.front = test_front.FrontTests.of(cls.world)

    def post(self, path, form, kind="application/x-www-form-urlencoded"):
        """The status, headers and JSON of the answer."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.world.front.port, timeout=20, context=self.world.front.trust())
        try:
            connection.request("POST", path, form if isinstance(form, bytes) else urllib.parse.urlencode(form), {"Content-Type": kind})
            answer = connection.getresponse()
            return answer.status, answer.headers, json.loads(answer.read())
        finally:
            connection.close()

    def code(self):
        status, _, answer = self.post(AUTHORIZATION, {"client_id": "anicca"})
        self.assertEqual(status, 200, answer)
        return answer

    def ask(self, code):
        return self.post(TOKEN, {"grant_type": CODE_GRANT, "device_code": code["device_code"], "client_id": "anicca"})

    def refresh(self, token):
        return self.post(TOKEN, {"grant_type": "refresh_token", "refresh_token": token, "client_id": "anicca"})

    def end(self, token):
        return self.post(REVOCATION, {"client_id": "anicca", "token": token})[0]

    def signed_in(self, participant):
        code = self.code()
        self.world.owner("approve", code["user_code"], participant)
        status, headers, answer = self.ask(code)
        self.assertEqual((status, headers["Cache-Control"]), (200, "no-store"), answer)
        return answer

    def send(self, tokens):
        """The status of a record sent with an access token."""
        body = {**test_front.BODY, "userId": tokens["user_id"]}
        return self.front.ask(body=body, Authorization=f"Bearer {tokens['access_token']}")[0]

    def let_time_pass(self, sql):
        self.world.cluster.query(sql, user=OWNER)

    def test_a_code_that_is_approved_gives_tokens_for_the_participants_account(self):
        code = self.code()
        self.assertRegex(code["user_code"], "^[B-Z]{4}-[B-Z]{4}$")
        self.assertEqual((code["verification_uri"], code["interval"]), (f"{PUBLIC_URL}/oauth/device", 5))
        status, _, answer = self.ask(code)
        self.assertEqual((status, answer), (400, {"error": "authorization_pending"}))
        typed = code["user_code"].lower().replace("-", " ")
        self.assertIn("a new participant", self.world.owner("approve", typed, "P001", "--device", "wrist-1"))
        status, _, tokens = self.ask(code)
        self.assertEqual((status, tokens["token_type"], tokens["pinned_key"]), (200, "Bearer", PINNED_KEY))
        self.assertEqual(self.send(tokens), 200)
        again = self.signed_in("P001")
        self.assertEqual(again["user_id"], tokens["user_id"], "the same participant has the same account")
        self.assertEqual(self.send(tokens), 200, "the other device goes on")
        row, = [row for row in csv.DictReader(io.StringIO(self.world.owner("table", "devices"))) if row["device"] == "wrist-1"]
        self.assertEqual((row["participant"], row["account"]), ("P001", tokens["user_id"]))
        self.assertIn("P001", self.world.owner("page"))

    def test_questions_that_come_too_often_are_told_to_slow_down(self):
        code = self.code()
        answers = [self.ask(code)[2]["error"] for _ in range(3)]
        self.assertEqual(answers, ["authorization_pending", "slow_down", "slow_down"])
        self.let_time_pass("UPDATE sign_in SET asked_at = asked_at - interval '16 seconds'")
        self.assertEqual(self.ask(code)[2]["error"], "authorization_pending")

    def test_codes_end(self):
        code = self.code()
        self.let_time_pass("UPDATE sign_in SET expires_at = now() - interval '1 second'")
        with self.assertRaisesRegex(Failed, "no device waits with the code"):
            self.world.owner("approve", code["user_code"], "P404")
        self.assertEqual(self.ask(code)[2], {"error": "expired_token"})
        self.assertEqual(self.world.cluster.query("SELECT 1 FROM participant WHERE name = 'P404'"), [])
        with self.assertRaisesRegex(Failed, "is not a code"):
            self.world.owner("approve", "WDJBMJH", "P001")

    def test_an_approved_code_is_used_once_and_a_lost_answer_can_be_asked_for_again(self):
        code = self.code()
        self.world.owner("approve", code["user_code"], "P002")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = [answer for status, _, answer in pool.map(lambda _: self.ask(code), range(8)) if status == 200]
        self.assertEqual(sorted(map(self.send, answers)), [200] + [401] * (len(answers) - 1), "the last answer's tokens count")
        self.let_time_pass("UPDATE sign_in SET expires_at = expires_at - interval '10 minutes'")
        self.assertEqual(self.ask(code)[2], {"error": "expired_token"})
        with self.assertRaisesRegex(Failed, "no device waits"):
            self.world.owner("approve", code["user_code"], "P003")

    def test_a_code_is_over_once_its_token_was_refreshed(self):
        code = self.code()
        self.world.owner("approve", code["user_code"], "P009")
        first = self.ask(code)[2]
        self.assertEqual(self.refresh(first["refresh_token"])[0], 200)
        self.assertEqual(self.ask(code)[2], {"error": "expired_token"})

    def test_a_sign_in_ends_with_any_of_its_tokens_and_with_no_other(self):
        for given in ("access_token", "refresh_token"):
            with self.subTest(given):
                name = given.replace("_", "-")
                code = self.code()
                self.world.owner("approve", code["user_code"], name)
                first, other = self.ask(code)[2], self.signed_in(name)
                self.assertEqual(self.end("unknown"), 200)
                self.assertEqual(self.send(first), 200)
                tokens = self.refresh(first["refresh_token"])[2]
                lost = self.refresh(first["refresh_token"])[2]
                self.assertEqual(self.end(lost[given]), 200)
                for ended in (first, tokens, lost):
                    self.assertEqual(self.refresh(ended["refresh_token"])[0], 400)
                    self.assertEqual(self.send(ended), 401)
                self.assertEqual(self.ask(code)[2], {"error": "expired_token"}, "the code gave tokens again")
                self.assertEqual(self.send(other), 200, "another device of the participant")
        self.assertEqual(self.end(""), 400)

    def test_a_receiver_cannot_give_itself_tokens(self):
        self.signed_in("P010")
        for statement in ("SELECT refresh FROM device", "SELECT previous FROM device", "SELECT device FROM device",
                          "SELECT refresh_tokens(refresh, '\\x01', '\\x02') FROM device"):
            with self.subTest(statement), self.assertRaisesRegex(Exception, "permission denied"):
                self.world.cluster.query(statement, user="anicca-receiver")

    def test_nothing_is_given_while_an_account_ends(self):
        for command, kind in (("revoke", "refresh"), ("erase", "refresh"), ("revoke", "redeem"), ("erase", "redeem")):
            with self.subTest(command=command, kind=kind):
                name = f"{command}-{kind}"
                if kind == "refresh":
                    tokens = self.signed_in(name)
                    account, ask = tokens["user_id"], lambda: self.refresh(tokens["refresh_token"])
                else:
                    code = self.code()
                    self.world.owner("approve", code["user_code"], name)
                    account = self.world.cluster.value(f"SELECT account FROM participant WHERE name = '{name}'")
                    ask = functools.partial(self.ask, code)
                with concurrent.futures.ThreadPoolExecutor(5) as pool:
                    storm = [pool.submit(lambda: [ask() for _ in range(10)]) for _ in range(4)]
                    time.sleep(0.05)
                    self.world.owner(command, "--account", account)
                    given = [answer[2] for answers in storm for answer in answers.result() if answer[0] == 200]
                self.assertEqual([self.send(answer) for answer in given], [401] * len(given))
                self.assertEqual({self.refresh(answer["refresh_token"])[0] for answer in given} | {400}, {400})

    def test_a_refresh_token_is_valid_until_the_new_one_is_used(self):
        first = self.signed_in("P004")
        lost = self.refresh(first["refresh_token"])[2]
        second = self.refresh(first["refresh_token"])[2]
        self.assertEqual([self.send(tokens) for tokens in (first, lost, second)], [200, 401, 200])
        self.assertEqual(self.refresh(lost["refresh_token"])[2], {"error": "invalid_grant"})
        third = self.refresh(second["refresh_token"])[2]
        self.assertEqual([self.send(tokens) for tokens in (first, second, third)], [401, 200, 200])
        self.assertEqual(self.refresh(first["refresh_token"])[2], {"error": "invalid_grant"})
        for _ in range(5):
            third = self.refresh(third["refresh_token"])[2]
        rows = self.world.cluster.value(f"SELECT count(*) FROM device WHERE account = '{third['user_id']}'")
        self.assertEqual(rows, "2", "the tokens of a device do not grow with its years")
        devices = [row for row in csv.DictReader(io.StringIO(self.world.owner("table", "devices"))) if row["participant"] == "P004"]
        self.assertEqual(len(devices), 1)

    def test_refreshes_at_once_leave_one_device(self):
        tokens = self.signed_in("P005")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = [answer[2] for answer in pool.map(lambda _: self.refresh(tokens["refresh_token"]), range(8))]
        valid = [answer for answer in answers if "access_token" in answer and self.send(answer) == 200]
        self.assertTrue(valid)
        self.assertEqual(self.refresh(valid[-1]["refresh_token"])[0], 200)
        self.assertEqual(self.world.cluster.value(f"SELECT count(*) FROM device WHERE account = '{tokens['user_id']}'"), "2")

    def test_an_access_token_ends_and_its_refresh_token_does_not(self):
        tokens = self.signed_in("P006")
        self.let_time_pass(f"UPDATE device SET expires_at = now() WHERE account = '{tokens['user_id']}'")
        self.assertEqual(self.send(tokens), 401)
        tokens = self.refresh(tokens["refresh_token"])[2]
        self.assertEqual(self.send(tokens), 200)
        self.world.owner("revoke", "--account", tokens["user_id"])
        self.assertEqual(self.send(tokens), 401)
        self.assertEqual(self.refresh(tokens["refresh_token"])[2], {"error": "invalid_grant"})

    def test_what_is_erased_leaves_no_name_and_no_code(self):
        tokens = self.signed_in("P007")
        self.world.owner("erase", "--account", tokens["user_id"])
        self.assertEqual(self.refresh(tokens["refresh_token"])[2], {"error": "invalid_grant"})
        for table in ("participant", "sign_in", "device"):
            self.assertEqual(self.world.cluster.query(f"SELECT 1 FROM {table} WHERE account = '{tokens['user_id']}'"), [])

    def test_wrong_requests_are_refused(self):
        for form, error in (({}, "invalid_request"), ({"grant_type": "password", "client_id": "x"}, "unsupported_grant_type"),
                            ({"grant_type": CODE_GRANT}, "invalid_request"), ({"grant_type": "refresh_token"}, "invalid_request"),
                            ({"grant_type": CODE_GRANT, "device_code": "x" * 900}, "expired_token"),
                            ({"grant_type": "refresh_token", "refresh_token": "\0"}, "invalid_grant"),
                            (b"grant_type=refresh_token&grant_type=password", "invalid_request"),
                            (b"grant_type=%ff%fe", "invalid_request"), (b"\xff=1", "invalid_request")):
            status, _, answer = self.post(TOKEN, form)
            self.assertEqual((status, answer), (400, {"error": error}), form)
        self.assertEqual(self.post(AUTHORIZATION, {})[2], {"error": "invalid_request"})
        self.assertEqual(self.post(TOKEN, b"{}", "application/json")[2], {"error": "invalid_request"})
        self.assertEqual(self.front.ask("GET", TOKEN)[0], 405)

    def test_strangers_cannot_fill_the_store(self):
        self.let_time_pass("INSERT INTO sign_in(device_code, user_code, expires_at) SELECT decode(md5(n::text), 'hex'), n::text, "
                           "now() + interval '1 hour' FROM generate_series(1, 1000) AS n")
        status, headers, _ = self.post(AUTHORIZATION, {"client_id": "anicca"})
        self.assertEqual((status, headers["Retry-After"]), (503, "300"))
        self.let_time_pass("UPDATE sign_in SET expires_at = now() - interval '1 second' WHERE length(user_code) < 9")
        self.code()
        self.assertEqual(self.world.cluster.query("SELECT 1 FROM sign_in WHERE length(user_code) < 9"), [])

    def test_nothing_secret_is_kept_or_logged(self):
        tokens = self.signed_in("P008")
        texts = [self.world.cluster.value("SELECT string_agg(d::text, '') FROM device AS d"),
                 *(path.read_text(errors="replace") for path in self.world.directory.rglob("*.log"))]
        for text in texts:
            self.assertFalse(re.search("|".join([tokens["access_token"], tokens["refresh_token"]]), text))
        for text in texts[1:]:
            self.assertNotIn(tokens["user_id"], text)


if __name__ == "__main__":
    unittest.main()
