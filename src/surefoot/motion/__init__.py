"""Motions: skeletons with poses in time; read, edit, write."""
