"""Characters: compiled MuJoCo models with servos; rigged from a skeleton, built in, or loaded from MJCF."""
