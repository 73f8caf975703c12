"""The page of `anicca report` in Chromium: days of a simulated wearer, at the widths of a telephone and of a desk, light and dark.

`ANICCA_PROGRAMS` is the directory of the programs, `ANICCA_SCREENSHOTS` one that keeps what was seen.
"""

import os
import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

from harness.browser import SCHEMES, browse, overflow
from harness.life import Life

# A telephone, a tablet, a desk.
WIDTHS = (320, 800, 1600)
DAYS = 6


class ReportTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="anicca-browser-")))
        cls.page = cls.directory / "report.html"
        Life(cls.directory, "7", DAYS, fence="<script>a & b</script>").do("anicca", "report", "--html", cls.page)

    def test_there_is_no_message_and_no_request(self):
        for scheme in SCHEMES:
            dom, console, asked = browse(self.page, "--dump-dom", scheme=scheme)
            self.assertEqual(console, [])
            self.assertEqual(asked, set())
            self.assertIn("<h1>Your last days</h1>", dom)
            self.assertIn("&lt;script&gt;a &amp; b&lt;/script&gt;", dom)
            self.assertNotIn("<script", dom)

    def test_the_log_of_the_network_shows_a_request(self):
        """So that the test above would fail."""
        page = self.directory / "asks.html"
        page.write_text("<!DOCTYPE html><title>asks</title><img alt='' src='http://127.0.0.1:9/picture.png'>")
        _, _, asked = browse(page, "--dump-dom")
        self.assertIn("http://127.0.0.1:9/picture.png", asked)

    def test_a_request_that_got_into_the_page_would_be_stopped(self):
        text = self.page.read_text(encoding="utf-8").replace(
            "</main>", "<img alt='' src='http://127.0.0.1:9/picture.png'/><script>document.title = 'run'</script></main>")
        page = self.directory / "injected.html"
        page.write_text(text, encoding="utf-8")
        dom, console, _ = browse(page, "--dump-dom")
        self.assertTrue(any("Content Security Policy" in line for line in console), console)
        self.assertIn("<title>Anicca: your last days</title>", dom)

    def test_it_fits_every_width(self):
        text = self.page.read_text(encoding="utf-8")
        pictures = text.count("<svg")
        self.assertGreater(pictures, DAYS)
        for width in WIDTHS:
            for state in overflow(self.page, width):
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
                _, console, asked = browse(
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
        _, console, _ = browse(self.page, f"--print-to-pdf={paper}", "--no-pdf-header-footer")
        self.assertEqual(console, [])
        self.assertTrue(paper.read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    unittest.main()
