"""What a measurement has to hold."""


class Demands:
    """Prints each demand, and whether it holds. `status` is 0 while all of them held, then 1."""

    def __init__(self):
        self.status = 0

    def __call__(self, holds, text):
        print(("ok   " if holds else "FAIL ") + text)
        if not holds:
            self.status = 1
