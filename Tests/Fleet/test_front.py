"""The edge of the server: what nginx lets through, and what a device and a stranger hear from it. Most 4XX have a device set a record aside, so
each answer that nginx gives by itself is tried here.
"""

import contextlib
import http.client
import json
import os
import re
import resource
import signal
import socket
import ssl
import unittest
import uuid

from harness.front import CERTIFICATES, SERVER
from harness.processes import descendants, run, until
from night import DAY_PATH
from truth import day_row, found_rows
from harness.fleet import World

ACCOUNT = "6f1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f"
BODY = {"userId": ACCOUNT, "date": "2026-11-20", "steps": 8500}


class FrontTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The waits are those of deploy/server, but shorter.
        cls.world = World(changes=(("server.conf", "client_header_timeout 10s;", "client_header_timeout 2s;"),
                                   ("server.conf", "client_body_timeout 10s;", "client_body_timeout 2s;"))).__enter__()
        cls.addClassCleanup(cls.world.__exit__, None, None, None)
        cls.front = cls.world.front
        cls.token = cls.world.enroll([(ACCOUNT, "band")])[0][2]

    @classmethod
    def of(cls, world):
        """One that asks the front of another world."""
        case = cls()
        case.front, case.token = world.front, world.enroll([(ACCOUNT, "band")])[0][2]
        return case

    def ask(self, method="POST", path=DAY_PATH, body=None, certificate=None, **headers):
        """The status, headers and JSON of an answer."""
        connection = http.client.HTTPSConnection("127.0.0.1", self.front.port, timeout=20, context=self.front.trust(certificate))
        try:
            body = json.dumps(BODY if body is None else body) if method == "POST" else None
            connection.request(method, path, body, {
                "Authorization": f"Bearer {self.token}", "Content-Type": "application/json", "Accept": "application/json",
                "Idempotency-Key": str(uuid.uuid4()), **headers})
            answer = connection.getresponse()
            text = answer.read()
            return answer.status, answer.headers, json.loads(text) if text else None
        finally:
            connection.close()

    def raw(self, request, context=None):
        """What comes back for these bytes, to the end."""
        with socket.create_connection(("127.0.0.1", self.front.port), 20) as plain:
            with (context or self.front.trust()).wrap_socket(plain, server_hostname="127.0.0.1") as connection:
                connection.sendall(request)
                return b"".join(iter(lambda: connection.recv(65536), b"")).decode()

    def assert_answers(self, status, answer):
        self.assertEqual(answer[0], status)
        self.assertEqual(answer[1]["Content-Type"], "application/json")
        self.assertIn("error", answer[2])

    def test_a_record_is_kept_once_however_often_it_comes(self):
        key = str(uuid.uuid4())
        for _ in range(3):
            self.assertEqual(self.ask(**{"Idempotency-Key": key})[0], 200)
        self.assertEqual([row for row in found_rows(self.world.cluster) if row[0] == key], [day_row(key, BODY)])

    def test_a_device_without_a_token_or_with_another_hears_401(self):
        self.assert_answers(401, self.ask(Authorization="Bearer nobody's"))
        self.assert_answers(401, self.ask(Authorization=""))

    def test_what_is_for_this_machine_is_not_reached_from_outside(self):
        for path in ("/metrics", "/healthz", "/_records", "/_control", "/", "/mobile", "/mobile/daily_metrics/", "//metrics", "/anicca-says/away",
                     "/mobile/../metrics", "/mobile/daily_metrics/..%2f..%2fmetrics"):
            with self.subTest(path):
                self.assertEqual(self.ask("GET", path)[0], 404)
        self.assertEqual(self.world.receivers[0].get("/healthz")[0], 200)
        self.assertIn("anicca_", self.world.receivers[0].get("/metrics")[1])

    def test_only_the_three_paths_reach_a_receiver(self):
        self.assertEqual(self.ask("GET")[0], 405)
        self.assert_answers(404, self.ask(path="/mobile/other"))
        self.assert_answers(404, self.ask(path="/nudge/trigger/more"))

    def test_a_method_that_nginx_knows_nothing_of_has_its_answer_in_json(self):
        for method in ("TRACE", "CONNECT", "PROPFIND"):
            with self.subTest(method):
                answer = self.raw(f"{method} / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
                self.assertIn(answer.split()[1], ("400", "404"))
                self.assertIn('{"error":', answer)

    def test_the_look_of_anicca_doctor_is_answered(self):
        status, _, _ = self.ask("HEAD", "/")
        self.assertEqual(status, 404)

    def test_a_body_that_no_device_sends_hears_413(self):
        self.assert_answers(413, self.ask(body={"steps": "1" * 10_000}))

    def test_a_body_of_unsaid_length_is_bounded_too(self):
        head = f"POST {DAY_PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        self.assert_answers(413, self.ask(body=BODY | {"userId": "6" * 8192}))
        answer = self.raw(head.encode() + b"2400\r\n" + b"x" * 0x2400 + b"\r\n0\r\n\r\n")
        self.assertTrue(answer.startswith("HTTP/1.1 413 "), answer)

    def test_the_longest_token_is_let_through_and_a_longer_one_is_the_tokens_fault(self):
        self.assert_answers(401, self.ask(Authorization="Bearer " + "t" * 8192))
        self.assert_answers(401, self.ask(Authorization="Bearer " + "t" * 17000))

    def test_an_address_that_is_too_long_is_the_addresss_fault(self):
        answer = self.raw(f"POST /{'a' * 16400} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        self.assertTrue(answer.startswith("HTTP/1.1 404 "), answer)
        self.assertIn('{"error":', answer)

    def test_what_is_no_request_hears_400_in_json(self):
        for request in (b"\x16\x03\x01 nonsense\r\n\r\n", b"POST / HTTP/1.1\r\nConnection: close\r\n\r\n",
                        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"):
            with self.subTest(request):
                answer = self.raw(request)
                self.assertIn(" 400 ", answer.splitlines()[0])
                self.assertIn("application/json", answer)
                self.assertIn('{"error":', answer)

    def test_another_name_than_that_of_the_connection_is_no_reason_to_set_aside(self):
        answer = self.raw(f"POST {DAY_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode())
        self.assertIn(answer.split()[1], ("401", "503"))

    def test_plain_http_at_the_port_of_tls_is_a_wrong_address(self):
        with socket.create_connection(("127.0.0.1", self.front.port), 20) as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")
            answer = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        self.assertTrue(answer.startswith("HTTP/1.1 404 "), answer)

    def test_old_tls_is_refused(self):
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.load_verify_locations(str(self.front.authority))
            context.set_ciphers("DEFAULT@SECLEVEL=0")
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = version
            with self.subTest(version), self.assertRaises(OSError):
                self.raw(b"GET / HTTP/1.1\r\n\r\n", context)

    def test_a_certificate_is_taken_where_it_is_right_and_costs_no_record_where_it_is_wrong(self):
        self.assertEqual(self.ask(certificate=self.front.certificate("band-1"))[0], 200)
        # Of the server's authority, which signs no devices.
        own = self.front.directory / "tls/server.crt", self.front.directory / "tls/server.key"
        self.assert_answers(403, self.ask(certificate=own))

    def test_a_certificate_that_is_over_hears_401(self):
        devices = self.front.directory / "devices"
        for words in (("req", "-new", "-config", "openssl.cnf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                       "old.key", "-subj", "/CN=old", "-out", "old.csr"),
                      ("ca", "-batch", "-config", "openssl.cnf", "-extensions", "device", "-startdate", "20200101000000Z", "-enddate",
                       "20210101000000Z", "-notext", "-in", "old.csr", "-out", "old.crt")):
            run(["openssl", *words], cwd=devices)
        self.assert_answers(401, self.ask(certificate=self.front.certificate("old")))

    def test_who_is_slow_is_let_go_and_holds_nobody_up(self):
        slow = []
        try:
            for number in range(100):
                plain = socket.create_connection(("127.0.0.1", self.front.port), 20)
                slow.append(self.front.trust().wrap_socket(plain, server_hostname="127.0.0.1"))
                body = f"POST {DAY_PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                slow[-1].sendall((body if number % 2 else body + "Content-Length: 1000\r\n\r\n{").encode())
            self.assertEqual(self.ask()[0], 200)
            until(lambda: all(self.is_over(connection) for connection in slow), "nginx lets the slow ones go", 20)
        finally:
            for connection in slow:
                connection.close()

    @staticmethod
    def is_over(connection):
        connection.setblocking(False)
        try:
            while connection.recv(4096):
                pass
            return True
        except ssl.SSLWantReadError:
            return False
        except OSError:
            return True

    def test_the_log_says_nothing_of_who_it_was(self):
        key = str(uuid.uuid4())
        self.assertEqual(self.ask(**{"Idempotency-Key": key})[0], 200)
        log = self.front.directory / "anicca.log"
        until(lambda: log.exists() and "daily_metrics" in log.read_text(), "the log is written", 10)
        for secret in (self.token, ACCOUNT, key, "8500"):
            self.assertNotIn(secret, log.read_text())

    def test_renewal_and_refusal_to_overwrite(self):
        devices = self.front.directory / "devices"
        for words in (("device", devices, "band-1"), ("authority", devices, "Devices")):
            with self.assertRaisesRegex(Exception, "not written over"):
                run(["sh", CERTIFICATES, *words])
        for key in devices.glob("*.key"):
            self.assertEqual(key.stat().st_mode & 0o777, 0o600)


class FilesTests(unittest.TestCase):
    def test_each_file_of_the_server_is_told_where_it_goes(self):
        told = (SERVER / "README.md").read_text()
        names = {str(path.relative_to(SERVER)) for path in SERVER.rglob("*") if path.is_file() and path.name != "README.md"}
        missing = {name for name in names if f"`{name}`" not in told}
        self.assertEqual(missing, set())
        for name in re.findall(r"`([a-z][a-z/-]*\.(?:conf|sql|sh|env|json|yml|sysusers))`", told):
            self.assertIn(name, names)

    def test_the_names_of_a_database_are_the_same_everywhere(self):
        settings = dict(re.findall(r"^([A-Z_]+)=(.*)$", (SERVER / "server.env").read_text(), re.MULTILINE))
        units = "".join(path.read_text() for path in (SERVER.parents[1] / "systemd/server").iterdir())
        self.assertEqual(set(re.findall(r"\$\{([A-Z_]+)\}", units)), set(settings))
        roles = set(re.findall(r"'CREATE ROLE \"([a-z-]+)\"", (SERVER / "roles.sql").read_text(), re.MULTILINE))
        for name in ("DATABASE", "OWNER_DATABASE"):
            self.assertIn(settings[name].rpartition("user=")[2], roles)
        users = set(re.findall(r"^User=(.*)$", units, re.MULTILINE))
        self.assertEqual(users, set(re.findall(r"^u (\S+)", (SERVER.parent / "debian/anicca-server.sysusers").read_text(), re.MULTILINE)))
        self.assertLess(users, roles)

    def test_a_receiver_may_not_enrol_nor_change_the_tables(self):
        with World() as world:
            for statement in ("INSERT INTO device VALUES ('\\x00', gen_random_uuid(), 'a')", "DELETE FROM device", "UPDATE device SET name = 'a'",
                              "UPDATE schema_version SET version = 99", "DELETE FROM idempotency_key", "DELETE FROM erasure",
                              "UPDATE sign_in SET account = gen_random_uuid()", "SELECT user_code FROM sign_in",
                              "INSERT INTO sign_in(device_code, user_code, expires_at, account) "
                              "VALUES ('\\x00', 'A', now(), gen_random_uuid())",
                              "SELECT add_tokens(gen_random_uuid(), 'a', '\\x00', '\\x01', NULL)",
                              "TRUNCATE daily_record", "DROP TABLE event", "CREATE TABLE more()"):
                with self.subTest(statement), self.assertRaisesRegex(Exception, "permission denied|must be owner"):
                    world.cluster.query(statement, user="anicca-receiver")


class WithoutReceiversTests(unittest.TestCase):
    """Worlds that a test breaks."""

    def test_without_receivers_a_device_hears_503(self):
        with World() as world:
            case = FrontTests.of(world)
            for receiver in world.receivers:
                receiver.kill()
            answer = case.ask()
            case.assert_answers(503, answer)
            self.assertEqual(answer[1].get_all("Retry-After"), ["300"])

    def test_a_receiver_that_hangs_costs_a_wait_and_no_record(self):
        with World(changes=(("proxy.conf", "proxy_read_timeout 15s", "proxy_read_timeout 5s"),)) as world:
            case = FrontTests.of(world)
            keys = [str(uuid.uuid4()) for _ in range(4)]
            os.kill(world.receivers[0].pid, signal.SIGSTOP)
            try:
                self.assertEqual([case.ask(**{"Idempotency-Key": key})[0] for key in keys], [200] * len(keys))
            finally:
                os.kill(world.receivers[0].pid, signal.SIGCONT)
            # It goes on with what it was given, which the other has kept.
            until(lambda: "_total" in world.receivers[0].get("/metrics")[1], "it goes on", 20)
            self.assertEqual(world.stop_receivers(), [0, 0])
            self.assertEqual(sorted(row[0] for row in found_rows(world.cluster)), sorted(keys))

    def test_a_database_that_hangs_is_told_by_the_receiver_before_nginx_asks_the_other(self):
        with World() as world:
            case = FrontTests.of(world)
            self.assertEqual(case.ask()[0], 200)
            stopped = [world.cluster.pid, *descendants(world.cluster.pid)]
            for process in stopped:
                os.kill(process, signal.SIGSTOP)
            try:
                self.assertEqual([case.ask()[::2] for _ in range(2)], [(503, {"error": "the store is not available"})] * 2)
            finally:
                for process in stopped:
                    os.kill(process, signal.SIGCONT)
            self.assertEqual(until(lambda: case.ask()[0] == 200, "it goes on", 20), True)

    def test_a_restart_of_the_database_costs_no_request_after_it(self):
        with World() as world:
            case = FrontTests.of(world)
            for day, end in enumerate((None, world.cluster.stop, world.cluster.kill), 10):
                if end:
                    end()
                    world.cluster.start()
                answers = [case.ask(body={**BODY, "date": f"2026-11-{day}"})[0] for _ in range(8)]
                self.assertEqual(answers, [200] * 8)

    def test_connections_that_say_nothing_keep_no_one_out(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
        with World() as world, contextlib.ExitStack() as silent:
            for _ in range(2000):
                connection = silent.enter_context(socket.socket(socket.AF_UNIX))
                connection.connect(str(world.receivers[0].socket))
            connection.settimeout(20)
            self.assertEqual(world.receivers[0].get("/healthz")[0], 200)
            self.assertEqual(connection.recv(1), b"", "who says nothing is let go")

    def test_too_many_requests_of_an_address_hear_429(self):
        changes = (("http.conf", "rate=50r/s", "rate=1r/m"), ("server.conf", "burst=500", "burst=2"))
        with World(gateway=False, changes=changes) as world:
            case = FrontTests.of(world)
            answers = [case.ask() for _ in range(8)]
            self.assertEqual({answer[0] for answer in answers}, {200, 429})
            refused = next(answer for answer in answers if answer[0] == 429)
            case.assert_answers(429, refused)
            self.assertEqual(refused[1].get_all("Retry-After"), ["300"])
            self.assertTrue(all(answer[1]["Retry-After"] is None for answer in answers if answer[0] == 200))

    def test_too_many_requests_of_a_device_hear_429_and_no_other_device_does(self):
        """Also from many addresses, of which loopback has as many as one likes, and with its scheme in any spelling."""
        changes = (("http.conf", "rate=20r/s", "rate=1r/m"), ("server.conf", "anicca_tokens burst=500", "anicca_tokens burst=2"),
                   ("server.conf", "burst=30", "burst=1"))
        with World(gateway=False, changes=changes) as world:
            case = FrontTests.of(world)
            other = world.enroll([("0b1c2a9e-3b57-4c0d-9e1f-2a7b8c9d0e1f", "band")])[0][2]
            answers = [case.ask(Authorization=f"{scheme} {case.token}")[0] for scheme in ("Bearer", "bearer", "BEARER", "Bearer ") * 2]
            self.assertIn(429, answers[2:])
            self.assertEqual(case.ask(Authorization=f"Bearer {other}")[0], 401)  # For the account of the first.
            wish = {"userId": ACCOUNT, "until": "2026-11-20T00:00:00Z", "figures": ["steps"], "events": []}
            wishes = [case.ask(path="/mobile/erasure", body=wish)[0] for _ in range(4)]
            self.assertEqual((wishes[0], wishes[-1]), (200, 429))

    def test_a_certificate_that_was_revoked_hears_401_after_a_reload(self):
        changes = (("site.conf", "    # ssl_crl ", "    ssl_crl "),)
        with World(changes=changes) as world:
            case = FrontTests.of(world)
            shown = world.front.certificate("band-1")
            self.assertEqual(case.ask(certificate=shown)[0], 200)
            run(["sh", CERTIFICATES, "revoke", world.front.directory / "devices", shown[0]])
            world.front.reload()
            until(lambda: case.ask(certificate=shown)[0] == 401, "the certificate is refused", 20)
            case.assert_answers(401, case.ask(certificate=shown))
            self.assertEqual(case.ask()[0], 200)


if __name__ == "__main__":
    unittest.main()
