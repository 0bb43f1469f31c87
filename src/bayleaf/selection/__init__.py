"""Feature selectors."""

__all__: list[str] = []
