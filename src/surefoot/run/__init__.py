"""Run folders for long work: config, log and checkpoints, so that what was killed goes on to the same result.

>>> import numpy as np, tempfile
>>> from surefoot.run import open_run, random_state, restored
>>> folder = tempfile.mkdtemp() + "/walk"
>>> def work(resume):
...     with open_run(folder, {"samples": 3}, resume=resume) as run:
...         rng, done, total = np.random.default_rng(0), 0, np.zeros(2)
...         if run.latest is not None:
...             rng, done, total = restored(run.latest.facts["rng"]), run.latest.step, run.latest.arrays["total"]
...         for step in range(done, 5):
...             total = total + rng.normal(size=2)
...             run.checkpoint(step + 1, {"rng": random_state(rng)}, {"total": total})
...             if step == 2 and not resume:
...                 return total
...         return total
>>> _ = work(resume=False)
>>> bool((work(resume=True) == np.random.default_rng(0).normal(size=(5, 2)).cumsum(axis=0)[-1]).all())
True
"""

from surefoot.run.folder import Checkpoint, Run, open_run
from surefoot.run.generator import random_state, restored

__all__ = ["Checkpoint", "Run", "open_run", "random_state", "restored"]
