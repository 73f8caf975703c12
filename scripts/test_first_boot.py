"""The script that follows board.conf on a card (deploy/image), in a root of its own with stand-ins for what needs a system."""

import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / "deploy/image/files/usr/lib/anicca-image/first-boot"
STAND_INS = {
    "systemctl": 'echo "$*" >>"$FIRST_BOOT_ROOT/systemctl"',
    "hostname": "true",
    "update-ca-certificates": 'echo updated >>"$FIRST_BOOT_ROOT/authorities"',
    "ssh-keygen": '[ "$1" = -A ] || grep -q "^ssh-"',
    "wpa_passphrase": 'read -r key; [ "$key" != refused! ] || exit 1; printf \'network={\\n\\tssid="%s"\\n\\t#psk="%s"\\n\\tpsk=%064d\\n}\\n\' "$1" "$key" 7',
    # A server that is no address, and an account that the program does not take.
    "anicca": 'case $1 in validate-config) ! grep -q nowhere "$FIRST_BOOT_ROOT/etc/anicca/anicca.conf.d/50-board.conf" ||'
              ' { echo "50-board.conf:2: server.base-url: must be an address" >&2; exit 78; } ;;'
              ' sign-in) read -r token; echo "${3:-$2} $token" >"$FIRST_BOOT_ROOT/signed-in"; [ "$token" != wrong ] || exit 64 ;; esac',
}
UUID = "2d1a8f5e-8a1b-4f54-9c32-0123456789ab"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA me@pc"


class FirstBootTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="anicca-first-boot-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name in ("boot/firmware", "var/lib/anicca-image", "etc/wpa_supplicant", "etc/systemd/system", "etc/anicca/anicca.conf.d", "root", "bin",
                     "usr/local/share/ca-certificates"):
            (self.root / name).mkdir(parents=True)
        (self.root / "etc/hosts").write_text("127.0.1.1 anicca\n", encoding="utf-8")
        (self.root / "var/lib/anicca-image/grown").touch()
        for name, body in STAND_INS.items():
            (self.root / "bin" / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
            (self.root / "bin" / name).chmod(0o755)
        self.settings = self.root / "boot/firmware/board.conf"

    def start(self, settings=None, unit="board"):
        """What is in board.conf after a start with these settings."""
        if settings is not None:
            self.settings.write_bytes(settings if isinstance(settings, bytes) else settings.encode())
        environment = {"PATH": f"{self.root}/bin:{os.environ['PATH']}", "FIRST_BOOT_ROOT": str(self.root)}
        subprocess.run(["sh", SCRIPT, unit], env=environment, stderr=subprocess.DEVNULL, check=False, timeout=30)
        return self.settings.read_text(encoding="utf-8")

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def exists(self, path):
        return (self.root / path).exists()

    def network(self):
        path = "etc/wpa_supplicant/wpa_supplicant-wlan0.conf"
        return self.read(path) if self.exists(path) else None

    def test_settings_are_followed_and_no_secret_stays(self):
        said = self.start(
            f"# typed on a PC\nhostname = wrist-7\nssh-key = {KEY}\nwifi-country = DE\nwifi-name = Café \"5\"\nwifi-password = a=b secret\n"
            f"server = https://example.org\nuser-id = {UUID}\ntoken = t0ken")
        self.assertEqual(self.read("etc/hostname"), "wrist-7\n")
        self.assertEqual(self.read("etc/hosts"), "127.0.1.1 wrist-7\n")
        self.assertEqual(self.read("root/.ssh/authorized_keys"), KEY + "\n")
        name = 'Café "5"'.encode().hex()
        self.assertEqual(self.network(), f"country=DE\nnetwork={{\n    ssid={name}\n    psk={7:064d}\n}}\n")
        self.assertEqual(self.read("etc/anicca/anicca.conf.d/50-board.conf"), "[server]\nbase-url = https://example.org\n")
        self.start(unit="account")
        self.assertEqual(self.read("signed-in"), f"{UUID} t0ken\n")
        self.assertFalse(self.exists("var/lib/anicca-image/account"))
        for secret in ("t0ken", "secret", UUID):
            self.assertNotIn(secret, said)
        self.assertEqual([line for line in said.splitlines() if not line.startswith("#")], [])

    def test_an_enrolment_is_used_in_place_of_an_account(self):
        said = self.start("server = https://example.org\nenrolment = c0de\nsend = quarters\ntoken = x\n")
        self.assertEqual(self.read("etc/anicca/anicca.conf.d/50-board.conf"),
                         "[server]\nbase-url = https://example.org\nsend = quarters\n")
        self.assertIn("user-id and token are not used", said)
        self.start(unit="account")
        self.assertEqual(self.read("signed-in"), "--enrolment c0de\n")
        self.assertFalse(self.exists("var/lib/anicca-image/account"))

    def test_a_wrong_line_is_told_in_the_file_and_the_others_are_followed(self):
        said = self.start(
            "hostname = Not_a_name\nwifi-county = DE\nhostname\nssh-key = none\nuser-id = 5\ntoken = x\nwifi-country = de\n"
            f"ssh-key = {KEY}\n")
        for line in ("line 1: hostname", "line 2: unknown key", "line 3: not a setting", "line 4: ssh-key", "line 5: user-id", "line 7: wifi-country",
                     "user-id and token belong together"):
            self.assertIn(line, said)
        self.assertEqual(self.read("root/.ssh/authorized_keys"), KEY + "\n")

    def test_a_wrong_password_never_makes_an_open_network(self):
        self.assertIn("line 2: wifi-password", self.start("wifi-name = Home\nwifi-password = short\n"))
        self.assertIsNone(self.network())
        self.start("wifi-name = Home\nwifi-password =\n")
        self.assertIsNone(self.network())
        self.assertIn("no network takes", self.start("wifi-name = Home\nwifi-password = refused!\n"))
        self.assertIsNone(self.network())
        self.start(f"wifi-name = Home\nwifi-password = {'aB' * 32}\n")
        self.assertIn(f"psk={'aB' * 32}\n", self.network())
        self.start("wifi-name = A\nwifi-password = longenough\nwifi-name = B\n")
        self.assertIn("key_mgmt=NONE", self.network())

    def test_a_server_that_the_program_refuses_is_not_stored(self):
        said = self.start(f"server = nowhere\nuser-id = {UUID}\ntoken = t\n")
        self.assertIn("line 1: server: 50-board.conf:2: server.base-url: must be an address", said)
        self.assertFalse(self.exists("etc/anicca/anicca.conf.d/50-board.conf"))
        self.assertTrue(self.exists("var/lib/anicca-image/account"))

    def test_an_account_that_is_refused_is_told(self):
        self.start(f"user-id = {UUID}\ntoken = wrong\n")
        self.assertIn("no account is stored (status 64)", self.start(unit="account"))
        self.assertFalse(self.exists("var/lib/anicca-image/account"))

    def test_a_certificate_beside_it_becomes_an_authority_once(self):
        file, place = "boot/firmware/authority.crt", "usr/local/share/ca-certificates/anicca-server.crt"
        key = self.root / "key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                        "-out", self.root / file, "-subj", "/CN=study"], check=True, capture_output=True)
        self.start(f"server = https://example.org\nssh-key = {KEY}\n")
        self.assertEqual(self.read(place), self.read(file))
        self.assertEqual((self.root / place).stat().st_mode & 0o777, 0o644)
        self.start()
        self.assertEqual(self.read("authorities"), "updated\n")
        (self.root / file).write_text("not one\n", encoding="utf-8")
        self.start()
        self.assertFalse(self.exists(file))
        self.assertEqual(self.read("boot/firmware/authority-is-no-certificate.crt"), "not one\n")
        self.assertIn("BEGIN CERTIFICATE", self.read(place))

    def test_texts_of_windows(self):
        self.start(b"\xef\xbb\xbfhostname = wrist-7\r\nwifi-country = DE\r\n")
        self.assertEqual(self.read("etc/hostname"), "wrist-7\n")
        for text in ("hostname = wrist-8\r\n".encode("utf-16"), "wifi-name = Café\r\n".encode("cp1252")):
            self.assertIn("not a text in UTF-8", self.start(text))
        self.assertEqual(self.read("etc/hostname"), "wrist-7\n")
        self.assertIsNone(self.network())

    def test_it_is_followed_again_when_it_has_settings_again(self):
        said = self.start(f"hostname = one\nssh-key = {KEY}\n")
        self.assertEqual(self.start(), said)
        self.start(said + f"hostname = two\nssh-key = {KEY}\n")
        self.assertEqual(self.read("etc/hostname"), "two\n")
        self.assertEqual(self.read("root/.ssh/authorized_keys"), KEY + "\n")
        self.settings.unlink()
        subprocess.run(["sh", SCRIPT, "board"], env={"PATH": f"{self.root}/bin:{os.environ['PATH']}", "FIRST_BOOT_ROOT": str(self.root)}, check=True)
        self.assertFalse(self.settings.exists())


if __name__ == "__main__":
    unittest.main()
