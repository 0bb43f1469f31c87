"""The parts of a hill-climbing search: the graph it changes, the rules it obeys, the judges of its changes."""
