"""Dates by Python's own calendar: slow, and obviously right."""

import datetime as dt
import math

EPOCH = dt.datetime(1970, 1, 1)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)


def days(value):
    return (value - EPOCH.date()).days


def seconds(value):
    return (value - EPOCH) / dt.timedelta(seconds=1)


def part(value, name):
    if name == "weekday":
        return WEEKDAYS[value.weekday()]
    if name == "month":
        return MONTHS[value.month - 1]
    return f"{value.hour:02d}:00"


def tells(parts, classes):
    """BIC of a table of parts and classes, counted one by one."""
    rows = len(parts)
    pairs = list(zip(parts, classes, strict=True))
    information = sum(
        math.log(rows * pairs.count(pair) / (parts.count(pair[0]) * classes.count(pair[1]))) for pair in pairs
    )
    return 2 * information > (len(set(parts)) - 1) * (len(set(classes)) - 1) * math.log(rows)
