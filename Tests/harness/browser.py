"""Pages in headless Chromium: what they print, say and ask for, and whether they fit a width."""

import html
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from harness.processes import Failed

SCHEMES = {"light": "1", "dark": "0"}
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


def browse(page, *options, scheme="light"):
    """The text that Chromium prints for the page, its messages, and the addresses that it asked for."""
    profile = pathlib.Path(tempfile.mkdtemp(prefix="anicca-browser-"))
    try:
        network = profile / "network.json"
        ended = subprocess.run(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync",
             "--disable-extensions", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
             f"--user-data-dir={profile}",
             f"--log-net-log={network}", "--enable-logging=stderr", "--log-level=0",
             f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}", *options, page.as_uri()],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
        if ended.returncode:
            raise Failed(ended.stderr[-2000:])
        console = [line for line in ended.stderr.splitlines() if "CONSOLE" in line]
        return ended.stdout, console, requests(network.read_text(encoding="utf-8", errors="replace"))
    finally:
        shutil.rmtree(profile, ignore_errors=True)


def overflow(page, width):
    """How the page lies in a frame of this width: folded, and with all its details open."""
    with tempfile.TemporaryDirectory(prefix="anicca-browser-") as directory:
        probe = pathlib.Path(directory) / "probe.html"
        text = page.read_text(encoding="utf-8")
        probe.write_text(PROBE.format(width=width, page=html.escape(text)), encoding="utf-8")
        dom, _, _ = browse(probe, "--dump-dom", f"--window-size={width + 100},800")
        answer = re.search(r'<pre id="answer">(.*?)</pre>', dom)
        if not answer:
            raise Failed(dom[:500])
        return json.loads(html.unescape(answer.group(1)))
