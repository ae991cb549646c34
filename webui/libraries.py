"""Libraries that Kibitz stands on: which is missing, and the command that mends it.

`python -m webui.libraries` checks them all and is what the Makefile calls after installing.
"""

from __future__ import annotations

import importlib
import re
import sys

NEEDED = ("numpy", "cv2", "onnxruntime", "flask", "cheroot")

# Shared objects that opencv-python wants from the system, and the Debian package that holds each.
DEBIAN = {
    "libGL": "libgl1",
    "libEGL": "libegl1",
    "libgthread-2": "libglib2.0-0",
    "libglib-2": "libglib2.0-0",
    "libxcb": "libxcb1",
    "libX11": "libx11-6",
    "libXext": "libxext6",
    "libSM": "libsm6",
    "libICE": "libice6",
    "libstdc++": "libstdc++6",
    "libgomp": "libgomp1",
}


def mend(error: ImportError) -> str | None:
    """What is missing and the command that mends it; None where the import failed for another reason."""
    found = re.search(r"(lib[\w+.-]+?)\.so[.\d]*: (cannot open shared|file too short|invalid ELF)", str(error))
    if found:
        library = found.group(1)
        package = next((debian for start, debian in DEBIAN.items() if library.startswith(start)), None)
        if package:
            # The usual three go together: whoever lacks one lacks the others.
            usual = sorted({package, "libgl1", "libglib2.0-0", "libxcb1"})
            command = f"sudo apt-get install -y {' '.join(usual)}"
            return f"{library} is missing, which OpenCV needs: run `{command}` (elsewhere, the package that holds it)"
        return f"the system library {library} is missing: install the package that holds it"
    if isinstance(error, ModuleNotFoundError) and error.name:
        top = error.name.partition(".")[0]
        if top in NEEDED:
            package = "opencv-python" if top == "cv2" else top
            return f"the Python package {package} is missing: run `make run` in the checkout, or `pip install {package}`"
    return None


def missing() -> list[str]:
    """One line for each library that cannot be imported here; empty when all is well."""
    lines = []
    for name in NEEDED:
        try:
            importlib.import_module(name)
        except ImportError as error:
            lines.append(mend(error) or f"{name} cannot be imported ({' '.join(str(error).split())}): install it again")
    return lines


def main() -> int:
    """Prints what is missing; 0 when nothing is, 2 otherwise."""
    lines = missing()
    for line in lines:
        print(f"kibitz: {line}", file=sys.stderr)
    return 2 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
