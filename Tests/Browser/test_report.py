"""The page of `anicca report` in Chromium: days of a simulated wearer, at the widths of a telephone and of a desk, light and dark.

`ANICCA_PROGRAMS` is the directory of the programs, `ANICCA_SCREENSHOTS` one that keeps what was seen.
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from harness.life import Life

# A telephone, a tablet, a desk.
WIDTHS = (320, 800, 1600)
SCHEMES = {"light": "1", "dark": "0"}
DAYS = 6
# Seconds that one call of the browser may take.
PATIENCE = 60
# The start of every address that is asked for over a network.
NETWORK = ("http:", "https:", "ws:", "wss:", "ftp:")
# Whom the log of the network names for what the browser asks for itself, such as updates.
BROWSER_ITSELF = "not an origin"

PROBE = """
<!DOCTYPE html><meta charset="utf-8"><title>probe</title><pre id="answer">none</pre>
<iframe id="page" style="border:0;height:600px;width:{width}px" srcdoc="{page}"></iframe>
<script>
addEventListener("load", () => {{
  const view = document.getElementById("page").contentDocument;
  const texts = [...view.querySelectorAll("svg")].filter(e => !e.querySelector("title") || !e.querySelector("desc"));
  const measure = () => {{
    const root = view.documentElement;
    const wide = [...view.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > {width} + 0.5);
    return {{
      scroll: root.scrollWidth, client: root.clientWidth,
      wide: wide.slice(0, 5).map(e => e.tagName + "." + e.className), svgs: view.querySelectorAll("svg").length,
      silent: texts.length, height: root.scrollHeight}};
  }};
  const folded = measure();
  for (const each of view.querySelectorAll("details")) each.open = true;
  document.getElementById("answer").textContent = JSON.stringify([folded, measure()]);
}});
</script>
"""


def requests(log):
    """The addresses that a page asked for, by a log of Chromium's network: an event a line."""
    asked = set()
    for line in log.splitlines():
        try:
            event = json.loads(line.rstrip(",").removesuffix("]}"))
        except ValueError:
            continue
        parameters = event.get("params", {}) if isinstance(event, dict) else {}
        address = parameters.get("url", "") if isinstance(parameters, dict) else ""
        if address.startswith(NETWORK) and parameters.get("initiator", BROWSER_ITSELF) != BROWSER_ITSELF:
            asked.add(address)
    return asked


class ReportTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="anicca-browser-")))
        cls.page = cls.directory / "report.html"
        Life(cls.directory, "7", DAYS, fence="<script>a & b</script>").do("anicca", "report", "--html", cls.page)

    def browse(self, page, *options, scheme="light"):
        """The text that Chromium prints for the page, its messages, and the addresses that it asked for."""
        profile = pathlib.Path(tempfile.mkdtemp(dir=self.directory))
        network = profile / "network.json"
        ended = subprocess.run(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync",
             "--disable-extensions", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
             f"--user-data-dir={profile}",
             f"--log-net-log={network}", "--enable-logging=stderr", "--log-level=0",
             f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", *options, page.as_uri()],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr[-2000:])
        console = [line for line in ended.stderr.splitlines() if "CONSOLE" in line]
        asked = requests(network.read_text(encoding="utf-8", errors="replace"))
        shutil.rmtree(profile, ignore_errors=True)
        return ended.stdout, console, asked

    def test_there_is_no_message_and_no_request(self):
        for scheme in SCHEMES:
            dom, console, asked = self.browse(self.page, "--dump-dom", scheme=scheme)
            self.assertEqual(console, [])
            self.assertEqual(asked, set())
            self.assertIn("<h1>Your last days</h1>", dom)
            self.assertIn("&lt;script&gt;a &amp; b&lt;/script&gt;", dom)
            self.assertNotIn("<script", dom)

    def test_the_log_of_the_network_shows_a_request(self):
        """So that the test above would fail."""
        page = self.directory / "asks.html"
        page.write_text("<!DOCTYPE html><title>asks</title><img alt='' src='http://127.0.0.1:9/picture.png'>")
        _, _, asked = self.browse(page, "--dump-dom")
        self.assertIn("http://127.0.0.1:9/picture.png", asked)

    def test_a_request_that_got_into_the_page_would_be_stopped(self):
        text = self.page.read_text(encoding="utf-8").replace(
            "</main>", "<img alt='' src='http://127.0.0.1:9/picture.png'/><script>document.title = 'run'</script></main>")
        page = self.directory / "injected.html"
        page.write_text(text, encoding="utf-8")
        dom, console, _ = self.browse(page, "--dump-dom")
        self.assertTrue(any("Content Security Policy" in line for line in console), console)
        self.assertIn("<title>Anicca: your last days</title>", dom)

    def test_it_fits_every_width(self):
        text = self.page.read_text(encoding="utf-8")
        pictures = text.count("<svg")
        self.assertGreater(pictures, DAYS)
        for width in WIDTHS:
            probe = self.directory / f"probe-{width}.html"
            probe.write_text(PROBE.format(width=width, page=html.escape(text)), encoding="utf-8")
            dom, _, _ = self.browse(probe, "--dump-dom", f"--window-size={width + 100},800")
            answer = re.search(r'<pre id="answer">(.*?)</pre>', dom)
            self.assertIsNotNone(answer, dom[:500])
            for state in json.loads(html.unescape(answer.group(1))):
                self.assertLessEqual(state["scroll"], width, (width, state))
                self.assertEqual(state["wide"], [], width)
                self.assertEqual(state["silent"], 0)
                self.assertEqual(state["svgs"], pictures)

    def test_it_can_be_seen_light_and_dark(self):
        kept = os.environ.get("ANICCA_SCREENSHOTS")
        folder = pathlib.Path(kept) if kept else self.directory
        folder.mkdir(parents=True, exist_ok=True)
        for width in WIDTHS:
            pictures = []
            for scheme in SCHEMES:
                picture = folder / f"report-{width}-{scheme}.png"
                _, console, asked = self.browse(
                    self.page, f"--screenshot={picture}", f"--window-size={width},2400", scheme=scheme)
                self.assertEqual((console, asked), ([], set()))
                pictures.append(picture.read_bytes())
            self.assertTrue(all(picture.startswith(b"\x89PNG") and len(picture) > 20_000 for picture in pictures))
            self.assertNotEqual(*pictures, "both schemes look alike")

    def test_it_is_well_formed(self):
        text = self.page.read_text(encoding="utf-8").removeprefix("<!DOCTYPE html>\n")
        self.assertEqual(xml.etree.ElementTree.fromstring(text).tag, "html")

    def test_it_prints(self):
        paper = self.directory / "report.pdf"
        _, console, _ = self.browse(self.page, f"--print-to-pdf={paper}", "--no-pdf-header-footer")
        self.assertEqual(console, [])
        self.assertTrue(paper.read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    unittest.main()
