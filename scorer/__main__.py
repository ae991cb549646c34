"""``python -m scorer judge FILE``: the judge without the rest of the house."""
from __future__ import annotations

import sys

from .judge import main

if __name__ == "__main__":
    if sys.argv[1:2] != ["judge"]:
        print("usage: python -m scorer judge FILE.jsonl|-", file=sys.stderr)
        sys.exit(2)
    sys.exit(main(sys.argv[2:]))
