#!/usr/bin/env python3
"""Makes one folder of recordings out of several: their index as one, and links to the folders of their data sets.

Recordings without a row, in another unit or without gravity are left out of the index, with a line for each data set of them.

Usage: join.py --out DIR RECORDINGS...
Exit status: 0 made, 1 a data set is in two of the folders, or a folder has no index.
"""

import argparse
import collections
import csv
import pathlib
import shutil
import sys

import recordings


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("recordings", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    try:
        join(options.recordings, options.out)
        leave_out(implausible(options.out), options.out)
    except (OSError, ValueError) as error:
        sys.exit(f"join: {error}")


def join(folders, out):
    """Replaces `out`. A column that an index lacks is empty in its rows."""
    rows, columns = [], []
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for folder in folders:
        with open(folder / "index.csv", newline="") as file:
            table = csv.DictReader(file)
            found = list(table)
        rows += found
        columns += [name for name in table.fieldnames if name not in columns]
        for dataset in sorted({row["dataset"] for row in found}):
            link = out / dataset
            if link.is_symlink():
                raise ValueError(f"{dataset} is in {folder} and in {link.readlink().parent}")
            link.symlink_to((folder / dataset).resolve())
    write(rows, columns, out)


def write(rows, columns, out):
    with open(out / "index.csv", "w", newline="") as file:
        table = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def implausible(folder):
    """The data set and name of each."""
    found = set()
    for one in recordings.read(folder):
        if not one.is_plausible():
            found.add((one.dataset, one.name))
        one.forget()
    return found


def leave_out(left_out, folder):
    with open(folder / "index.csv", newline="") as file:
        table = csv.DictReader(file)
        rows = [row for row in table if (row["dataset"], row["rec"]) not in left_out]
    write(rows, table.fieldnames, folder)
    for dataset, count in sorted(collections.Counter(dataset for dataset, _ in left_out).items()):
        print(f"join: {dataset}: {count} recordings left out: empty, in another unit or without gravity", file=sys.stderr)


if __name__ == "__main__":
    main()
