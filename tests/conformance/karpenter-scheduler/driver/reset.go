package main

// reset does nothing: the counter of host names is the scheduler's own, and texts are compared without it.
func reset() {}
