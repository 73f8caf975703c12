"""Proofs that are told like a story: functions that run in the order in which they are written, each in the world that
the one before left behind. The name of a function is its claim."""

import subprocess

PROOFS = []


class Skipped(Exception):
    """The reason why a claim was not tested."""


def proof(function):
    """Marks a function of one argument, the world, as the next proof."""
    PROOFS.append(function)
    return function


def expect(condition, otherwise):
    if not condition:
        raise AssertionError(otherwise)


def same(found, expected, what):
    expect(found == expected, f"{what}: {found}, not {expected}")


def run_proofs(world):
    """Runs them all, also after one has failed, with a line for each. Returns how many failed."""
    failures = 0
    for function in PROOFS:
        name = function.__name__.replace("_", " ")
        try:
            function(world)
            print(f"ok       {name}", flush=True)
        except Skipped as reason:
            print(f"SKIPPED  {name}: {reason}", flush=True)
        except (AssertionError, OSError, KeyError, subprocess.CalledProcessError) as problem:
            failures += 1
            print(f"FAILED   {name}\n         {problem}", flush=True)
    return failures
