"""Install the package betaincder, which `benchmarks/row_by_row.py` measures, into the environment that runs this file.

Its only release brings a C file that Cython 0.28 generated and Python 3.11 no longer compiles. So the sources are
downloaded, the C file is generated anew from the package's own betaincder.pyx, and the result is built and installed.
"""

import subprocess
import sys
import tarfile
import tempfile
from importlib.util import find_spec
from pathlib import Path

NAME, VERSION = "betaincder", "0.1.1"


def main() -> None:
    if find_spec(NAME):
        return
    print(f"Building {NAME} {VERSION}", flush=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            install(regenerated(Path(folder)))
    except subprocess.CalledProcessError as error:
        said = (error.stderr or error.stdout).strip().splitlines()
        sys.exit(
            f"{NAME} could not be installed: {' '.join(error.cmd[1:4])} ... said: {said[-1] if said else 'nothing'}"
        )


def regenerated(folder: Path) -> Path:
    """The unpacked sources in the folder, with a C file of today's Cython."""
    only_sources = ["--no-deps", "--no-binary", NAME, "--no-build-isolation"]
    run("pip", "download", *only_sources, "--dest", str(folder), f"{NAME}=={VERSION}")
    with tarfile.open(folder / f"{NAME}-{VERSION}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    sources = folder / f"{NAME}-{VERSION}"
    code = sources / NAME / "c"
    (code / f"{NAME}.c").unlink()
    run("cython", "-3", str(code / f"{NAME}.pyx"))
    return sources


def install(sources: Path) -> None:
    run("pip", "install", "--no-deps", "--no-build-isolation", str(sources))


def run(module: str, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", module, *arguments], check=True, capture_output=True, text=True)


if __name__ == "__main__":
    main()
