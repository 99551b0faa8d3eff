"""Between the wire and the engine: the only place that knows the words of both.

What comes in is checked as it is turned over; every refusal names the field by its path.
"""
