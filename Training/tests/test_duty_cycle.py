"""The duty cycle's trade-off: hours put together, and how much of them is seen."""

import unittest

import numpy as np

import duty_cycle
import hours
import model
import variants
from examples import Examples
from features import LENGTH
from hours import AFTER, BEFORE, HOUR, WINDOW, DutyCycle, Hour
from model import AUTOMOTIVE, RUNNING, STATIONARY, WALKING

WHOLE = BEFORE + HOUR + AFTER


def hour(*bouts, phase=0.0):
    """From what is done from which window of the hour on; before that the wearer sits."""
    truth = np.full(WHOLE, STATIONARY)
    for begin, one in bouts:
        truth[BEFORE + begin:] = one
    return Hour("made", np.arange(WHOLE), truth, phase)


def sure(truth):
    return np.eye(5)[truth] * 0.9 + 0.02


def made(seed=1):
    """Examples of two people: one sits and walks and runs for half a minute, the other only runs."""
    classes = np.repeat([STATIONARY, WALKING, RUNNING, RUNNING], [100, 100, 6, 50])
    people, name = np.repeat(["a", "b"], [206, 50]), np.full(256, "made")
    return Examples(np.zeros((256, 70)), classes, np.repeat([0, 1], [206, 50]), name, people, name)


class Hours(unittest.TestCase):
    def test_they_are_lived_by_people_who_walk_and_sit_or_ride_in_bouts_of_the_stated_lengths(self):
        for drawn in hours.draw(made(), 5, seed=1):
            self.assertLess(drawn.rows.max(), 200)
            np.testing.assert_array_equal(made().classes[drawn.rows], drawn.truth)
            ends = np.flatnonzero(np.diff(drawn.truth)) + 1
            for bout in np.split(drawn.truth, ends)[:-1]:
                low, high = hours.BOUTS[bout[0]]
                self.assertTrue(low - 0.1 <= len(bout) * WINDOW / 60 <= high + 0.1)

    def test_the_same_seed_gives_the_same_hours(self):
        first, again, other = (hours.draw(made(), 3, seed)[2].rows[:HOUR].tolist() for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


class Watching(unittest.TestCase):
    def test_who_is_never_wrong_and_always_looks_is_off_by_half_a_window_at_most(self):
        lived = hour((100, WALKING), (150, STATIONARY), (400, AUTOMOTIVE))
        seen = hours.watch(lived, DutyCycle(WINDOW))
        for one in (STATIONARY, WALKING, AUTOMOTIVE):
            self.assertAlmostEqual(seen.minutes(one), hours.true_minutes(lived, one), delta=WINDOW / 60)
        self.assertEqual(seen.windows, HOUR)

    def test_the_time_between_two_verdicts_is_split_in_the_middle(self):
        # Windows begin every 12; BEFORE is 703, so one begins at window 5 of the hour and at 17, 29 ...
        lived = hour((6, WALKING))
        seen = hours.watch(lived, DutyCycle(60))
        self.assertEqual(np.unique(np.diff(seen.changes[1:-1])).tolist(), [12])
        self.assertAlmostEqual(seen.minutes(STATIONARY), (5 + 6 + 1) * WINDOW / 60)

    def test_verdicts_are_those_of_the_filter(self):
        lived = hour((100, WALKING), (300, STATIONARY))
        likely = np.random.default_rng(1).dirichlet(np.ones(5), WHOLE) * 0.1 + sure(lived.truth) * 0.9
        belief = model.Filter.apart(12 * WINDOW).run(likely[::12], np.zeros(len(likely[::12])))
        # The first window weighs less in `watch`: nothing came before it, and that fades within the hour before.
        tail = BEFORE // 12
        self.assertTrue((belief.max(axis=1) >= hours.SURE)[tail:].all())
        seen = hours.watch(lived, DutyCycle(60 * WINDOW * 12 / 60), likely)
        self.assertEqual(seen.verdicts[tail:len(belief)].tolist(), belief.argmax(axis=1)[tail:].tolist())

    def test_an_unsure_window_holds_the_verdict_and_may_be_looked_at_again_soon(self):
        lived = hour()
        likely = sure(lived.truth)
        likely[BEFORE - 1:BEFORE + 60] = [0.02, 0.24, 0.24, 0.25, 0.25]
        often = DutyCycle(60, again=10)
        plain, again = hours.watch(lived, DutyCycle(60), likely), hours.watch(lived, often, likely)
        self.assertEqual(set(plain.verdicts), {STATIONARY})
        self.assertGreater(again.windows, plain.windows + 10)

    def test_at_rest_it_looks_less_often(self):
        self.assertLess(hours.watch(hour(), DutyCycle(60, relaxed=300)).windows, 13)
        self.assertGreater(hours.watch(hour((0, WALKING)), DutyCycle(60, relaxed=300)).windows, 50)

    def test_movement_wakes_it_and_is_where_the_change_is(self):
        lived = hour((6, WALKING))
        woken = hours.watch(lived, DutyCycle(60, relaxed=300, woken=True))
        asleep = hours.watch(lived, DutyCycle(60, relaxed=300))
        self.assertAlmostEqual(woken.minutes(WALKING), hours.true_minutes(lived, WALKING))
        self.assertNotAlmostEqual(asleep.minutes(WALKING), hours.true_minutes(lived, WALKING), delta=0.1)


class Windows(unittest.TestCase):
    def setUp(self):
        self.found = np.random.default_rng(1).normal(size=(2, LENGTH, 3))

    def test_a_short_window_runs_there_and_back(self):
        short = variants.mirrored(self.found, 32)
        self.assertEqual(short.shape, self.found.shape)
        np.testing.assert_array_equal(short[:, :32], self.found[:, :32])
        np.testing.assert_array_equal(short[:, 32:64], self.found[:, 31::-1])
        np.testing.assert_array_equal(short[:, 64:], short[:, :64])

    def test_half_the_rate_keeps_what_is_slow_and_loses_what_is_fast(self):
        time = np.arange(LENGTH) / 25
        wave = lambda hertz: np.repeat(np.sin(2 * np.pi * hertz * time)[None, :, None], 3, axis=2)
        kept = lambda hertz: variants.halved(wave(hertz)).std() / wave(hertz).std()
        self.assertGreater(kept(1), 0.95)
        self.assertLess(kept(12), 0.3)
        line = np.repeat(np.linspace(0, 1, LENGTH)[None, :, None], 3, axis=2)
        np.testing.assert_allclose(variants.halved(line)[:, 2:-2], line[:, 2:-2], atol=2e-4)

    def test_a_pair_is_judged_by_both(self):
        likely = np.array([[0.6, 0.4], [0.1, 0.9], [0.5, 0.5]])
        self.assertEqual(variants.pairs(likely).argmax(axis=1)[:2].tolist(), [1, 1])
        np.testing.assert_allclose(variants.pairs(likely).sum(axis=1), 1)

    def test_pairs_lie_within_a_recording_and_a_class(self):
        rows = made().where([0, 1, 100, 101, 206])
        self.assertEqual(variants.same_next(rows).tolist(), [True, False, True, False, False])

    def test_windows_in_common_end_where_classes_part(self):
        first, second = made().where(np.arange(98, 104)), made().where(np.r_[99:104, 206:208])
        here, there = variants.common(first, second)
        self.assertEqual((here.tolist(), there.tolist()), ([0], [0]))


class Current(unittest.TestCase):
    def test_a_window_in_a_minute_takes_a_tenth_of_the_charge(self):
        self.assertAlmostEqual(duty_cycle.awake(60), 5.18 / 60)
        mean, day = duty_cycle.charge(duty_cycle.awake(60))
        self.assertAlmostEqual(mean, 5 + 495 * 5.18 / 60)
        self.assertAlmostEqual(day, mean * 0.024)

    def test_windows_without_a_pause_run_all_the_time(self):
        self.assertEqual(duty_cycle.awake(WINDOW), 1)


if __name__ == "__main__":
    unittest.main()
