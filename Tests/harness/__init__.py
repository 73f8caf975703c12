"""What the suites outside the programs share: servers, worlds, devices, certificates, processes and shims; `run.py` runs the suites."""

import os
import pathlib

PROJECT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAMS = pathlib.Path(os.environ.get("ANICCA_PROGRAMS", PROJECT / ".build/release"))
# What is preloaded: `make shims`.
SHIM = pathlib.Path(os.environ.get("ANICCA_SHIM", PROJECT / ".build/clockshim.so"))
FAULTSHIM = pathlib.Path(os.environ.get("ANICCA_FAULTSHIM", PROJECT / ".build/faultshim.so"))
