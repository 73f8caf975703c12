"""The page of a study, `anicca-receiver page`: who takes part, since when nothing came, and why days are missing. In Chromium at several widths,
light and dark.
"""

import base64
import datetime
import html.parser
import http.client
import pathlib
import re
import subprocess
import tempfile
import unittest

import test_front
from harness.browser import SCHEMES, browse, overflow
from harness.fleet import OWNER, RECEIVER, World
from harness.processes import run

WIDTHS = (360, 800, 1600)
REGULAR, QUIET, LEFT, NEW = (f"{number:08d}-3b57-4c0d-9e1f-2a7b8c9d0e1f" for number in range(1, 5))
TODAY = datetime.datetime.now(datetime.timezone.utc).date()
DAYS = 28


def ago(days):
    return (TODAY - datetime.timedelta(days)).isoformat()


class Rows(html.parser.HTMLParser):
    """The texts of the cells of each row, and of the pictures."""

    def __init__(self, text):
        super().__init__()
        self.rows, self._in = [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "br":
            self.rows[-1][-1] += "\n"

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


class PageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = cls.enterClassContext(World())
        cls.directory = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="anicca-page-")))
        cls.world.enroll([(REGULAR, "wrist"), (REGULAR, "belt"), (QUIET, "wrist"), (LEFT, "wrist"), (NEW, "wrist")])
        query = lambda sql: cls.world.cluster.query(sql, user=OWNER)
        query(f"UPDATE device SET enrolled_at = current_date - 40 WHERE account <> '{NEW}'")
        query(f"UPDATE device SET enrolled_at = current_date - 3 WHERE account = '{NEW}'")
        query(f"UPDATE device SET revoked_at = current_date - 10 WHERE account = '{LEFT}'")
        insert = ("INSERT INTO daily_record(account, date, key, received_at, steps, sleep_duration_min, coverage) "
                  "SELECT '{}', current_date - ago, gen_random_uuid(), current_date - ago + 1, 5000, {}, {} "
                  "FROM generate_series({}, {}) AS ago")
        query(insert.format(REGULAR, 400, "NULL", 1, DAYS))
        query(f"DELETE FROM daily_record WHERE account = '{REGULAR}' AND date = current_date - 5")
        query(insert.format(QUIET, "NULL", """'{"steps":{"observed":700},"sleep":{"observed":0,"silent":1440}}'""", 8, DAYS))
        query(insert.format(LEFT, "NULL", "NULL", 11, DAYS))
        query("INSERT INTO idempotency_key(account, key, received_at) SELECT account, key, received_at FROM daily_record")
        cls.text = cls.world.owner("page")
        cls.file = cls.directory / "index.html"
        cls.file.write_text(cls.text, encoding="utf-8")

    def rows(self):
        return {row[0]: [cell.strip() for cell in row[1:]] for row in Rows(self.text).rows[1:]}

    def test_each_participant_has_a_row_and_the_worst_comes_first(self):
        self.assertEqual([row[0] for row in Rows(self.text).rows[1:]], [LEFT, QUIET, NEW, REGULAR])
        self.assertEqual([self.rows()[each][0] for each in (REGULAR, QUIET, LEFT)], ["2", "1", f"left on {ago(10)}"])

    def test_a_missing_day_has_its_reason(self):
        told = {account: cells[3] for account, cells in self.rows().items()}
        self.assertEqual(told[REGULAR], f"{ago(5)}: nothing was collected, or it was lost")
        self.assertEqual(told[QUIET], f"{ago(7)} to {ago(1)}: no contact since")
        self.assertEqual(told[LEFT], f"{ago(10)} to {ago(1)}: left")
        self.assertEqual(told[NEW], f"{ago(3)} to {ago(1)}: no contact yet", "not before the enrolment")

    def test_the_picture_has_each_kind_of_each_day(self):
        pictures = dict(zip([row[0] for row in Rows(self.text).rows[1:]], re.findall("<svg.*?</svg>", self.text, re.DOTALL)))
        self.assertIn("steps 27, motion 0, sleep 27,", pictures[REGULAR])
        self.assertIn("steps 21, motion 0, sleep 0,", pictures[QUIET])
        self.assertIn('<path class="q" d="M0 0.5h21"/>', pictures[QUIET])
        self.assertIn("M21 0.5h7", pictures[QUIET].partition('class="m"')[2])
        self.assertIn("M25 0.5h3", pictures[NEW], "nothing is missing before the enrolment")
        self.assertIn('<path class="f" d="M0 0.5h23M24 0.5h4M0 2.5h23M24 2.5h4"/>', pictures[REGULAR])

    def test_it_asks_for_nothing_and_runs_nothing(self):
        self.assertNotRegex(self.text, r"<script|<link|<img|https?:|url\(")
        for scheme in SCHEMES:
            dom, console, asked = browse(self.file, "--dump-dom", scheme=scheme)
            self.assertEqual((console, asked), ([], set()))
            self.assertIn(REGULAR, dom)

    def test_it_fits_every_width(self):
        for width in WIDTHS:
            for state in overflow(self.file, width):
                self.assertLessEqual(state["scroll"], width, (width, state))
                self.assertEqual((state["wide"], state["silent"]), ([], 0), width)

    def test_what_cannot_be_printed_is_told(self):
        for words, code in ((["--days", "0"], 64), (["--database", "/nonexistent.sqlite"], 65)):
            ended = subprocess.run([RECEIVER, "page", *words], capture_output=True, text=True, timeout=60)
            self.assertEqual((ended.returncode, ended.stdout), (code, ""), ended.stderr)

    def test_a_study_without_participants_is_a_page(self):
        with World() as world:
            self.assertIn("<p>0 participants, 28 days", world.owner("page"))


class ServedPageTests(unittest.TestCase):
    def test_nginx_serves_the_page_to_those_with_a_password(self):
        with World() as world:
            front = test_front.FrontTests.of(world)
            self.assertEqual(self.get(front, None)[0], 401)
            self.assertEqual(self.get(front, "me:wrong")[0], 403, "without a file of passwords nobody may")
            hashed = run(["openssl", "passwd", "-apr1", "right"]).strip()
            (world.front.directory / "study.htpasswd").write_text(f"me:{hashed}\n")
            self.assertEqual(self.get(front, "me:right")[0], 404, "there is no page yet")
            page = world.front.directory / "index.html"
            world.owner("page", "--output", page)
            for credentials, status in ((None, 401), ("me:wrong", 401), ("me:right", 200)):
                answer = self.get(front, credentials)
                self.assertEqual(answer[0], status)
            self.assertEqual(answer[2].encode(), page.read_bytes())
            self.assertEqual((answer[1]["Content-Type"], answer[1]["Cache-Control"]), ("text/html; charset=utf-8", "no-store"))
            self.assertNotIn(test_front.ACCOUNT, (world.front.directory / "anicca.log").read_text())
            page.unlink()
            page.mkdir()
            with self.assertRaisesRegex(Exception, "cannot be replaced"):
                world.owner("page", "--output", page)

    @staticmethod
    def get(front, credentials):
        connection = http.client.HTTPSConnection("127.0.0.1", front.front.port, timeout=20, context=front.front.trust())
        headers = {"Authorization": "Basic " + base64.b64encode(credentials.encode()).decode()} if credentials else {}
        connection.request("GET", "/study", headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


if __name__ == "__main__":
    unittest.main()
