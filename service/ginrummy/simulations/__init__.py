"""Bots against bots, by the thousand: what is played, by which threads, and what it comes to.

What is decided is the engine's, and what is kept is in a file of its own; matches between people
and their log are no affair of this part.
"""
