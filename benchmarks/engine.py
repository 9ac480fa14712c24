"""Steps per second through the engine, divided by MuJoCo's bare batch: the same as `surefoot bench engine`.

python benchmarks/engine.py --simulations 512 --threads 2
"""

import sys

from surefoot.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main(["bench", "engine", *sys.argv[1:]]))
