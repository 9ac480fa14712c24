"""Mutated files of every format: each must give one line of error or a valid motion, in bounded time and memory."""
