"""The command line: one thin module a verb, over the functions that Python users call."""
