"""Gin rummy in the terminal: play, watch, and check the deals of a match."""
