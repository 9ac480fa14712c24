"""Give it a motion; get a character that performs it in physics and stays on its feet."""
