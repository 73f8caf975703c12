import contextlib
import gzip
import io
import pathlib
import tempfile
import unittest

import join


class JoinTests(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="anicca-join-")))

    def folder(self, name, header, *rows):
        for row in rows:
            (self.root / name / row.split(",")[0]).mkdir(parents=True, exist_ok=True)
        (self.root / name / "index.csv").write_text("\n".join([header, *rows]) + "\n")
        return self.root / name

    def test_the_rows_of_all_folders_with_the_columns_of_all(self):
        one = self.folder("one", "dataset,rec", "walks,a", "walks,b")
        other = self.folder("other", "dataset,rec,true_steps", "hands,c,0")
        (one / "walks/a.csv").write_text("t_ms\n")
        out = self.root / "out"
        for _ in range(2):
            join.join([one, other], out)
        self.assertEqual((out / "index.csv").read_text(), "dataset,rec,true_steps\nwalks,a,\nwalks,b,\nhands,c,0\n")
        self.assertEqual((out / "walks/a.csv").read_text(), "t_ms\n")
        self.assertTrue((out / "hands").is_dir())

    def test_a_data_set_in_two_folders_is_refused(self):
        folders = [self.folder(name, "dataset,rec", "walks,a") for name in ("one", "other")]
        with self.assertRaisesRegex(ValueError, "walks is in .*other and in .*one"):
            join.join(folders, self.root / "out")

    def test_a_folder_without_an_index_is_refused(self):
        with self.assertRaises(FileNotFoundError):
            join.join([self.root], self.root / "out")

    def test_a_recording_that_is_empty_or_in_another_unit_is_left_out(self):
        folder = self.folder(
            "one", "dataset,rec,subject,class,fs", "walks,a,p,walking,25", "walks,b,p,walking,25", "walks,c,p,walking,25", "walks,d,p,sleep,")
        for name, gravity, rows in (("a", 1000, 300), ("b", 9807, 300), ("c", 1000, 0)):
            with gzip.open(folder / f"walks/{name}.csv.gz", "wt") as file:
                file.write("t_ms,x_mg,y_mg,z_mg\n" + "".join(f"{40 * row},0,0,{gravity}\n" for row in range(rows)))
        out, said = self.root / "out", io.StringIO()
        join.join([folder], out)
        with contextlib.redirect_stderr(said):
            join.leave_out(join.implausible(out), out)
        self.assertEqual((out / "index.csv").read_text().splitlines()[1:], ["walks,a,p,walking,25", "walks,d,p,sleep,"])
        self.assertIn("join: walks: 2 recordings left out", said.getvalue())
