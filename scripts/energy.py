"""Reckons what the agent takes of a battery, `anicca-lab energy`, and prints it as docs/energy.md shows it.

Usage: energy.py ANICCA_LAB
"""

import json
import subprocess
import sys
import tempfile

import record

INPUTS = [*record.PROGRAMS, "scripts/energy.py"]
INTERRUPT = "[imu]\ninterrupt-chip = /dev/gpiochip0\ninterrupt-line = 17\n"
STEPS = "[steps]\nline = 27\n"
# What is shown beside an MPU-6050 with both lines.
OTHERS = {
    "interrupt_not_wired": ("INT not wired, step line wired", STEPS), "neither_wired": ("neither wired: steps from acceleration", ""),
    "lis3dh": ("LIS3DH, both wired", INTERRUPT + "sensor = lis3dh\n" + STEPS)}
PARTS = {
    "imuSampling": "IMU, sampling for windows", "imuSlow": "IMU, filling its FIFO slowly (only with `sleep` on)",
    "imuWatching": "IMU, watching for movement", "imuAsleep": "IMU, asleep", "busPullUps": "I²C, pull-ups",
    "busTransfers": "I²C, CPU: transfers and interrupts of the controller", "cpu": "CPU, agent: wake-ups and windows", "card": "SD card",
    "upload": "upload at night: WLAN and CPU"}


def energy(lab, settings):
    with tempfile.NamedTemporaryFile("w", prefix="anicca-energy-", suffix=".conf") as config:
        config.write(settings)
        config.flush()
        done = subprocess.run([lab, "energy", "--json", "--config", config.name], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def cells(name, part, share):
    return [name, f"{part['microampHours']:.0f}", f"{part['milliwattHours']:.2f}", f"{100 * share:.1f} %",
            f"{part['lowMilliwattHours']:.2f} to {part['highMilliwattHours']:.2f}"]


def of_imu(result):
    return sum(part["milliwattHours"] for part in result["parts"] if part["part"].startswith("imu"))


def main(lab):
    both = energy(lab, INTERRUPT + STEPS)
    others = {key: (title, energy(lab, settings)) for key, (title, settings) in OTHERS.items()}
    total, board = both["total"], both["idleBoardMilliwattHours"]
    figures = {
        "parts": [["MPU-6050, INT and a step line wired", "µAh at 3.3 V", "mWh a day", "share", "between"],
                  *(cells(PARTS[part["part"]], part, part["share"]) for part in both["parts"]), cells("all", total, 1)],
        "others": [["other devices", "all, mWh", "of it the IMU", "windows"],
                   *([title, f"{result['total']['milliwattHours']:.2f}", f"{of_imu(result):.2f}", result["windows"]]
                     for title, result in others.values())],
        "milliwatt_hours": total["milliwattHours"], "share_of_board": total["milliwattHours"] / board,
        "leds": both["powerLEDMilliwattHours"] / total["milliwattHours"]}
    for table in ("parts", "others"):
        for row in figures[table]:
            print(*row, sep="\t")
    record.keep("energy", "make energy", INPUTS, figures)


main(*sys.argv[1:])
