"""Columns as small integer codes: schema, encoding, discretisers."""
