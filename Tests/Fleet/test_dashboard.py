"""The dashboard of deploy/server: each of its queries runs against the tables and the counts as they are, with no more rights than its role has. No
Grafana is needed; its macros are filled in here.
"""

import json
import re
import unittest
import urllib.request

import test_front
from harness.front import SERVER
from harness.processes import Failed
from harness.fleet import World

DASHBOARD = json.loads((SERVER / "grafana-daily.json").read_text())
ROLE = "anicca-dashboards"
FILTER = re.compile(r"\$__timeFilter\(([^)]*)\)")
METRIC = re.compile(r"\banicca_receiver_\w+")


def filled_in(sql, account):
    """As Grafana sends it to PostgreSQL."""
    sql = FILTER.sub(r"\1 BETWEEN '2026-01-01T00:00:00Z' AND '2099-12-31T00:00:00Z'", sql)
    return sql.replace("${account}", account)


class DashboardTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World().__enter__()
        cls.addClassCleanup(cls.world.__exit__, None, None, None)
        case = test_front.FrontTests.of(cls.world)
        whole = {"sleepDurationMin": 420, "wakeAt": "2026-11-21T07:30:00Z", "snsMinutesTotal": 65, "sedentaryMinutes": 300}
        for body in (test_front.BODY, {**test_front.BODY, "date": "2026-11-21", **whole}):
            assert case.ask(body=body)[0] == 200

    def targets(self, kind):
        return [(panel["title"], target) for panel in DASHBOARD["panels"] for target in panel["targets"] if kind in target]

    def test_each_query_finds_something(self):
        self.assertGreater(len(self.targets("rawSql")), 5)
        for title, target in self.targets("rawSql"):
            with self.subTest(title):
                sql = filled_in(target["rawSql"], test_front.ACCOUNT)
                self.assertNotIn("$", sql)
                self.assertTrue(self.world.cluster.query(sql, user=ROLE), sql)

    def test_an_account_that_is_none_finds_nothing_and_fails_nothing(self):
        for account in ("", "somebody"):
            for title, target in self.targets("rawSql"):
                with self.subTest(title):
                    rows = self.world.cluster.query(filled_in(target["rawSql"], account), user=ROLE)
                    self.assertEqual(rows == [], "account" in title)

    def test_the_role_reads_nothing_else(self):
        for table in ("device", "idempotency_key", "event", "daily_record"):
            with self.subTest(table), self.assertRaisesRegex(Failed, "permission denied"):
                self.world.cluster.query(f"SELECT * FROM {table}", user=ROLE)

    def test_a_receiver_owns_nothing(self):
        for sql in ("DROP TABLE daily_record", "CREATE TABLE mine()", "TRUNCATE event"):
            with self.subTest(sql), self.assertRaisesRegex(Failed, "permission denied|must be owner"):
                self.world.cluster.query(sql, user="anicca-receiver")

    def test_each_count_is_one_of_the_receivers(self):
        self.assertGreater(len(self.targets("expr")), 3)
        # Kinds without a failure are not there yet, but their names are.
        text = "".join(receiver.get("/metrics")[1] for receiver in self.world.receivers)
        for title, target in self.targets("expr"):
            for name in METRIC.findall(target["expr"]):
                with self.subTest(f"{title}: {name}"):
                    self.assertRegex(text, rf"(?m)^(# TYPE )?{name}[ {{]")

    def test_prometheus_reads_each_receiver_by_way_of_nginx(self):
        names = re.findall(r"__metrics_path__: (\S+),", (SERVER / "prometheus.yml").read_text())
        self.assertEqual(len(names), len(self.world.receivers))
        for name in names:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.world.front.own_port}{name}") as answer:
                self.assertIn("# TYPE anicca_receiver_requests_total counter", answer.read().decode())

    def test_each_panel_says_what_it_shows(self):
        panels = DASHBOARD["panels"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        for panel in panels:
            self.assertTrue(panel["title"] and panel["description"].endswith("."), panel["title"])


if __name__ == "__main__":
    unittest.main()
