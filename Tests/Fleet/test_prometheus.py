"""Debian's Prometheus with the files of deploy/server: it scrapes both receivers by way of nginx, and its rules notice one that is away."""

import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request

import test_front
from harness.fleet import World
from harness.front import SERVER
from harness.processes import Process, free_port, until


class PrometheusTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World().__enter__()
        cls.addClassCleanup(cls.world.__exit__, None, None, None)
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix="anicca-prometheus-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        scraped = (SERVER / "prometheus.yml").read_text().replace("127.0.0.1:9180", f"127.0.0.1:{cls.world.front.own_port}")
        # An alert waits for minutes, which a test does not.
        (cls.directory / "rules.yml").write_text(re.sub(r"for: \d+m", "for: 1s", (SERVER / "rules.yml").read_text()))
        (cls.directory / "prometheus.yml").write_text(
            f"global: {{scrape_interval: 1s, evaluation_interval: 1s}}\nrule_files: [rules.yml]\n{scraped}")
        cls.port = free_port()
        process = Process(
            ["prometheus", f"--config.file={cls.directory}/prometheus.yml", f"--storage.tsdb.path={cls.directory}/data",
             f"--web.listen-address=127.0.0.1:{cls.port}", "--log.level=error"], cls.directory / "log")
        cls.addClassCleanup(process.kill)
        until(lambda: cls.ask("targets")["activeTargets"], "Prometheus serves", 30)

    @classmethod
    def ask(cls, path, **query):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{cls.port}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=10) as answer:
                return json.load(answer)["data"]
        except OSError:
            return {"activeTargets": [], "result": [], "alerts": []}

    def values(self, expression):
        """By receiver."""
        return {row["metric"].get("receiver"): float(row["value"][1]) for row in self.ask("query", query=expression)["result"]}

    def test_1_the_files_are_right(self):
        for kind in ("config", "rules"):
            file = self.directory / ("prometheus.yml" if kind == "config" else "rules.yml")
            checked = subprocess.run(["promtool", "check", kind, file], capture_output=True, text=True, timeout=60)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        shipped = subprocess.run(["promtool", "check", "rules", SERVER / "rules.yml"], capture_output=True, text=True, timeout=60)
        self.assertIn("5 rules found", shipped.stdout)

    def test_2_both_receivers_are_scraped_and_count_what_they_store(self):
        until(lambda: self.values("up") == {"1": 1, "2": 1}, "both are scraped", 30)
        front = test_front.FrontTests.of(self.world)
        for number in range(4):
            self.assertEqual(front.ask(body={**test_front.BODY, "date": f"2026-11-1{number}"})[0], 200)
        stored = 'sum(anicca_receiver_submissions_total{outcome="stored"})'
        until(lambda: self.values(stored) == {None: 4}, "four are counted", 30)

    def test_3_a_receiver_that_is_away_is_an_alert_that_names_it(self):
        def firing():
            return {alert["labels"]["alertname"]: alert["annotations"]["summary"] for alert in self.ask("alerts")["alerts"]
                    if alert["state"] == "firing"}
        self.assertEqual(firing().keys() & {"ReceiverAway", "NoReceiver"}, set())
        self.world.receivers[1].stop()
        until(lambda: "ReceiverAway" in firing(), "the alert", 30)
        self.assertIn("receiver 2 is away", firing()["ReceiverAway"])
        self.assertNotIn("NoReceiver", firing())
        self.world.receivers[1].start()
        until(lambda: "ReceiverAway" not in firing(), "its end", 30)


if __name__ == "__main__":
    unittest.main()
