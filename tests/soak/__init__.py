"""Kills and resumes: `make soak`."""
