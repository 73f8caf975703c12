"""What may happen to the files of a store: bits, bytes, pages, rows, files and the whole of it."""

import re
import shutil
import sqlite3

from harness.device import RUNTIME, STORE, snapshot

DATABASE = "ledger.sqlite"
#: Every file that a program reads, and where it lies.
FILES = {**{name: "directory" for name in STORE + ("anicca.conf", "token")}, **{name: "run_directory" for name in RUNTIME}}
PAGE = 4096


class Nothing(Exception):
    """The damage does not apply to this store."""


def file_of(device, name):
    path = getattr(device, FILES[name]) / name
    if not path.exists() or path.stat().st_size == 0:
        raise Nothing
    return path


def pick_file(device, random):
    # The store is most of what there is, the others count too.
    name = random.choice([DATABASE] * 4 + sorted(FILES))
    return name, file_of(device, name)


def account(settings):
    """Who sends where: another person or server in the configuration is a decision, which nothing can tell from damage."""
    return re.findall(rb"^(?:user-id|base-url) = (.*)$", settings, re.MULTILINE)


def flip(device, random):
    name, path = pick_file(device, random)
    data = bytearray(path.read_bytes())
    before = account(data)
    for _ in range(random.choice((1, 1, 1, 8))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    if name == "anicca.conf" and account(data) != before:
        raise Nothing
    path.write_bytes(data)
    return f"bits of {name} flipped"


def cut(device, random):
    name, path = pick_file(device, random)
    length = random.choice((0, random.randrange(path.stat().st_size)))
    with open(path, "r+b") as file:
        file.truncate(length)
    return f"{name} cut to {length}"


def zero(device, random):
    name, path = pick_file(device, random)
    data = bytearray(path.read_bytes())
    start = random.randrange(len(data))
    length = min(random.choice((16, 512, PAGE)), len(data) - start)
    data[start:start + length] = bytes(length)
    path.write_bytes(data)
    return f"{length} bytes of {name} zeroed at {start}"


def swap_pages(device, random):
    path = file_of(device, DATABASE)
    return exchange(path, lambda pages: random.sample(range(pages), 2))


def swap_leaves(device, random):
    """Rows of another table lie among the quarters then, which are out of order, and none behind them is found by its key."""
    path = file_of(device, DATABASE)
    database = sqlite3.connect(path)
    leaves = database.execute("SELECT name, pageno - 1 FROM dbstat WHERE pagetype = 'leaf' ORDER BY pageno").fetchall()
    database.close()
    quarters = [page for name, page in leaves if name == "quarter"]
    others = [page for name, page in leaves if name not in ("quarter", "sqlite_schema")]
    if not quarters:
        raise Nothing

    def pick(pages):
        # Those that only the log has cannot be swapped in the file.
        pair = random.choice(quarters), random.choice(others)
        if max(pair) >= pages:
            raise Nothing
        return pair
    return exchange(path, pick)


def exchange(path, pick):
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big") or PAGE
    pages = len(data) // size
    if pages < 3:
        raise Nothing
    one, other = pick(pages)
    first, second = slice(one * size, (one + 1) * size), slice(other * size, (other + 1) * size)
    data[first], data[second] = data[second], data[first]
    path.write_bytes(data)
    return f"pages {one} and {other} swapped"


# -- Rows


class Rows:
    """The database as somebody with sqlite3 sees it; the triggers that protect it are taken away and put back."""

    def __init__(self, device):
        self.path = file_of(device, DATABASE)

    def __enter__(self):
        self.database = sqlite3.connect(self.path, isolation_level=None)
        self.triggers = self.database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in self.triggers:
            self.database.execute(f"DROP TRIGGER {name}")
        return self

    def __exit__(self, *failure):
        for _, sql in self.triggers:
            self.database.execute(sql)
        self.database.close()

    def tables(self):
        """Names, and how many rows, of those that have some."""
        every = self.database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        names = [name for name, in every.fetchall()]
        return [name for name in sorted(names) if self.database.execute(f"SELECT count(*) FROM {name}").fetchone()[0]]

    def columns(self, table):
        return [(row[1], row[5]) for row in self.database.execute(f"PRAGMA table_info({table})")]

    def keys(self, table):
        return [name for name, is_key in self.columns(table) if is_key]

    def pick(self, table, random):
        """A row's key as a condition, and the row by column."""
        cursor = self.database.execute(f"SELECT * FROM {table}")
        rows = [dict(zip([field[0] for field in cursor.description], row)) for row in cursor.fetchall()]
        return random.choice(rows)

    def where(self, table):
        return " AND ".join(f"{name} IS ?" for name in self.keys(table))

    def key_of(self, table, row):
        return [row[name] for name in self.keys(table)]


def pick_table(rows, random):
    tables = rows.tables()
    # What is on its way, what consent stands on, and then the rest.
    weighty = [name for name in tables if name.startswith(("outbox", "consent", "day"))]
    return random.choice(tables + weighty)


def delete_row(device, random):
    with Rows(device) as rows:
        table = pick_table(rows, random)
        row = rows.pick(table, random)
        rows.database.execute(f"DELETE FROM {table} WHERE {rows.where(table)}", rows.key_of(table, row))
        return f"row {rows.key_of(table, row)} of {table} deleted"


def empty_table(device, random):
    with Rows(device) as rows:
        table = pick_table(rows, random)
        rows.database.execute(f"DELETE FROM {table}")
        return f"{table} emptied"


def swap_blobs(device, random):
    with Rows(device) as rows:
        tables = [name for name in rows.tables() if "sealed" in [column for column, _ in rows.columns(name)]]
        first = pick_of(rows, tables, random)
        second = pick_of(rows, [first[0]] if random.random() < 0.7 else tables, random)
        if first[1]["sealed"] == second[1]["sealed"]:
            raise Nothing
        for (table, row), blob in ((first, second[1]["sealed"]), (second, first[1]["sealed"])):
            rows.database.execute(f"UPDATE {table} SET sealed = ? WHERE {rows.where(table)}", [blob, *rows.key_of(table, row)])
        return f"blobs of {first[0]} and {second[0]} swapped"


def pick_of(rows, tables, random):
    table = random.choice(tables)
    return table, rows.pick(table, random)


def change_column(device, random):
    """A value that stands outside the seal becomes another of the same kind."""
    with Rows(device) as rows:
        table = pick_table(rows, random)
        row = rows.pick(table, random)
        column = random.choice(sorted(row))
        value = row[column]
        if isinstance(value, bytes):
            at = random.randrange(len(value)) if value else 0
            changed = value[:at] + bytes([value[at] ^ 1]) + value[at + 1:] if value else b"x"
        else:
            changed = (value or 0) + random.choice((-1, 1, 86400, 7))
        try:
            rows.database.execute(f"UPDATE {table} SET {column} = ? WHERE {rows.where(table)}", [changed, *rows.key_of(table, row)])
        except sqlite3.IntegrityError:
            raise Nothing from None
        return f"{column} of a row of {table} changed"


def older_row(device, random):
    """One row as it was a day or two ago."""
    name = random.choice(("day-1", "day-2"))
    with Rows(device) as rows:
        rows.database.execute("ATTACH ? AS old", [str(snapshot_database(name, device))])
        choices = []
        for table in rows.tables():
            names = ", ".join(column for column, _ in rows.columns(table))
            for key in rows.database.execute(f"SELECT {names} FROM old.{table} EXCEPT SELECT {names} FROM main.{table}"):
                choices.append((table, names, key))
        if not choices:
            raise Nothing
        table, names, values = random.choice(sorted(choices, key=repr))
        marks = ", ".join("?" for _ in values)
        rows.database.execute(f"INSERT OR REPLACE INTO main.{table}({names}) VALUES ({marks})", values)
        rows.database.execute("DETACH old")
        return f"a row of {table} put back from {name}"


def snapshot_database(name, device):
    """A copy of an older database with its log folded in, so that it can be attached."""
    folder = device.directory / "older"
    folder.mkdir(exist_ok=True)
    for file in STORE[:2]:
        if (snapshot(name) / file).exists():
            shutil.copy(snapshot(name) / file, folder)
    path = folder / DATABASE
    database = sqlite3.connect(path)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return path


# -- Files and all of it


def older_store(device, random):
    """The whole directory as it was. What is in /run stays."""
    name = random.choice(("day-1", "day-2"))
    for file in STORE[:3]:
        (device.directory / file).unlink(missing_ok=True)
        if (snapshot(name) / file).exists() and not file.endswith("-shm"):
            shutil.copy(snapshot(name) / file, device.directory)
    return f"the store put back from {name}"


def older_file(device, random):
    name = random.choice(("day-1", "day-2"))
    return put_back(device, name, random.choice((DATABASE, "ledger.sqlite-wal")))


def older_state(device, random):
    return put_back(device, random.choice(("day-1", "day-2")), "aniccad.state")


def put_back(device, name, file):
    if not (snapshot(name) / file).exists():
        raise Nothing
    shutil.copy(snapshot(name) / file, getattr(device, FILES[file]))
    return f"{file} put back from {name}"


def delete_store(device, random):
    files = random.choice((STORE[:3], STORE, STORE[:1], ("ledger.sqlite-wal",), ("key",)))
    if not any((device.directory / file).exists() for file in files):
        raise Nothing
    for file in files:
        (device.directory / file).unlink(missing_ok=True)
    return f"deleted: {' '.join(files)}"


def other_key(device, random):
    path = file_of(device, "key")
    path.write_bytes(random.randbytes(path.stat().st_size))
    return "another key"


#: By kind; whether it has to be told even if nothing is missing (what was removed, moved or put back), and how often it is drawn.
DAMAGES = {
    "flip": (flip, False, 6), "cut": (cut, False, 3), "zero": (zero, False, 2), "swap-pages": (swap_pages, False, 2),
    "swap-leaves": (swap_leaves, False, 2), "swap-blobs": (swap_blobs, True, 3), "delete-row": (delete_row, True, 4), "empty-table": (empty_table, True, 2),
    "change-column": (change_column, True, 4), "older-row": (older_row, True, 3), "older-store": (older_store, True, 2),
    "older-file": (older_file, True, 2), "older-state": (older_state, False, 1),
    "delete-store": (delete_store, True, 2), "other-key": (other_key, True, 1)}
