"""Material of our own: two characters' skeletons and key-framed motions."""
