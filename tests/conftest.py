"""Property-based tests have no deadline: machines are shared, and how long one example takes there says nothing."""

from hypothesis import settings

settings.register_profile("surefoot", deadline=None)
settings.load_profile("surefoot")
