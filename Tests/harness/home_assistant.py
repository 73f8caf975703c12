"""Home Assistant itself, of Tests/MQTT/home-assistant.txt, asked by its REST API as a user with a long-lived token."""

import base64
import hashlib
import hmac
import json
import pathlib
import shutil
import signal
import tempfile
import time
import urllib.error
import urllib.request

from harness import PROJECT
from harness.processes import HOST, Process, free_port, until

PROGRAM = PROJECT / ".build/home-assistant/bin/hass"
KEY = "the key of a test's token, which nobody else knows"


class HomeAssistant:
    """With its MQTT integration set up for a broker, and nothing else. Use it with `with`."""

    def __init__(self, broker):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="anicca-home-"))
        self.port = free_port()
        (self.directory / "configuration.yaml").write_text(
            f"homeassistant:\n  time_zone: UTC\nhttp:\n  server_host: {HOST}\n  server_port: {self.port}\napi:\n", encoding="ascii")
        (self.directory / ".storage").mkdir()
        self._store("core.config_entries", {"entries": [{
            "entry_id": "broker", "version": 1, "minor_version": 1, "domain": "mqtt", "title": "broker", "options": {}, "source": "user",
            "data": {"broker": HOST, "port": broker.port, "discovery": True, "discovery_prefix": "homeassistant"},
            "pref_disable_new_entities": False, "pref_disable_polling": False, "unique_id": None, "disabled_by": None}]})
        self._store("auth", {
            "users": [{"id": "user", "group_ids": ["system-admin"], "is_owner": True, "is_active": True, "name": "user",
                       "system_generated": False, "local_only": False}],
            "groups": [{"id": "system-admin", "name": "Administrators"}], "credentials": [],
            "refresh_tokens": [{
                "id": "token", "user_id": "user", "client_id": None, "client_name": "test", "client_icon": None,
                "token_type": "long_lived_access_token", "created_at": "2024-01-01T00:00:00+00:00", "access_token_expiration": 3e8,
                "token": "unused", "jwt_key": KEY, "last_used_at": None, "last_used_ip": None, "credential_id": None, "version": None}]})
        self._process = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *failure):
        self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _store(self, name, data):
        (self.directory / ".storage" / name).write_text(
            json.dumps({"version": 1, "minor_version": 1, "key": name, "data": data}), encoding="ascii")

    def start(self):
        self._process = Process([PROGRAM, "--config", self.directory, "--skip-pip"], self.directory / "said")
        until(lambda: self._ask() is not None, "Home Assistant answers", 120)

    def stop(self):
        if self._process and self._process.is_running:
            self._process.end(signal.SIGTERM)

    @property
    def log(self):
        return (self.directory / "home-assistant.log").read_text(encoding="utf-8", errors="replace")

    def _ask(self):
        """The states; None until it is ready."""
        request = urllib.request.Request(f"http://{HOST}:{self.port}/api/states", headers={"Authorization": f"Bearer {token()}"})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return json.load(answer)
        except (urllib.error.URLError, ConnectionError):
            return None

    def sensors(self):
        """By the name that a user sees."""
        return {state["attributes"].get("friendly_name"): state for state in self._ask() or []
                if state["entity_id"].startswith("sensor.")}


def token():
    """A JSON Web Token (RFC 7519), signed with HMAC and SHA-256."""
    def part(content):
        return base64.urlsafe_b64encode(content).rstrip(b"=")

    now = int(time.time())
    text = b".".join(part(json.dumps(value).encode()) for value in
                     ({"alg": "HS256", "typ": "JWT"}, {"iss": "token", "iat": now - 60, "exp": now + 3600}))
    return (text + b"." + part(hmac.digest(KEY.encode(), text, hashlib.sha256))).decode()
