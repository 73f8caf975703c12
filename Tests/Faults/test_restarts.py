"""The daemon is killed while the wearer walks, and starts again: a minute of pulses is lost at most, and none is counted twice."""

import concurrent.futures
import functools
import signal
import unittest

from harness.scenario import MIDNIGHT, begin
from harness.world import DAY, HOUR, SECOND, World, shown
from trials import FaultTest

WORKERS = 2
QUARTER = 15 * 60
# The fastest walk of the simulated wearer has 130 steps a minute; ten more are what one second more or less makes of it.
PULSES_OF_A_MINUTE = 140


def life(killed=(), how=signal.SIGKILL):
    """Steps and raw pulses of a day in which the daemon is ended at these times."""
    with World() as world:
        begin(world)
        for time in killed:
            world.live_until(time)
            world._end(how)  # pylint: disable=protected-access
            world.start()
        world.live_until(MIDNIGHT + DAY + HOUR)
        day = world.history()[shown(MIDNIGHT)[:10]]
        return day["steps"], day["rawPulses"]


class RestartTest(FaultTest):
    suite = "faults"

    @functools.cache
    def walks(self):
        """Seconds of the day in quarters of an hour with steps, and in those after them."""
        with World() as world:
            starts = [start for start, steps, _ in world.quarters() if steps and start < MIDNIGHT + DAY - 2 * QUARTER * SECOND]
        begun = [(start - MIDNIGHT) // SECOND for start in starts]
        return sorted({second for start in begun for second in range(start, start + 2 * QUARTER, 20)})

    def try_kills(self, what, most, kills, how=signal.SIGKILL):
        cases = self.sample(self.walks(), most)
        steps, pulses = life()
        with self.trials("restart", what) as trials, concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            every = [sorted({case, *self.random.sample(self.walks(), kills - 1)}) for case in cases]
            results = [pool.submit(life, [MIDNIGHT + second * SECOND for second in seconds], how) for seconds in every]
            for seconds, result in zip(every, results):
                with trials.one(",".join(map(str, seconds))):
                    came_steps, came_pulses = result.result()
                    lost = pulses - came_pulses
                    allowed = PULSES_OF_A_MINUTE * kills if how == signal.SIGKILL else 0
                    assert came_pulses <= pulses and came_steps <= steps, f"{came_pulses} pulses of {pulses}, {came_steps} steps of {steps}"
                    assert lost <= allowed, f"{lost} pulses are lost with {kills} at {seconds} s of the day, {allowed} at most may be"

    def test_killed_while_somebody_walks(self):
        self.try_kills("a kill during a walk or soon after", 40, 1)

    def test_killed_several_times(self):
        self.try_kills("three kills in a day", 12, 3)

    def test_restarted_in_order(self):
        self.try_kills("an orderly restart during a walk or soon after", 12, 1, signal.SIGTERM)

    def test_a_directory_of_bells_that_is_changed_at_a_reload_holds_all_of_them(self):
        """A kill half an hour later costs a minute of pulses at most, and the daemon hears of toggles."""
        with self.trials("restart", "another directory of bells") as trials, trials.one("[run] bell-directory"), World() as world:
            begin(world)
            world.live_until(self.walks()[0] * SECOND + MIDNIGHT)
            bells = world.directory / "bells"
            bells.mkdir()
            text = world.config.read_text(encoding="utf-8")
            before = text.partition("bell-directory = ")[2].partition("\n")[0]
            world.config.write_text(text.replace(f"bell-directory = {before}", f"bell-directory = {bells}"), encoding="utf-8")
            world.reload()
            assert {"aniccad.state", "lending"} <= {path.name for path in bells.iterdir()}, list(bells.iterdir())
            world.live(30 * 60 * SECOND)
            world.cut_power()
            world.start()
            world.turn("motion", "off")
            world.turn("motion", "on")
            world.live_until(MIDNIGHT + DAY + HOUR)
            pulses = world.history()[shown(MIDNIGHT)[:10]]["rawPulses"]
            assert life()[1] - PULSES_OF_A_MINUTE <= pulses <= life()[1], f"{pulses} for {life()[1]}"


if __name__ == "__main__":
    unittest.main()
