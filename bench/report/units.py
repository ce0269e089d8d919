"""Numbers as tables show them: seconds, bytes, ratios, "-" for what is not there."""


def seconds(value):
    """0.0283 -> "28.3 ms"; "-" for None and 0."""
    if not value:
        return "-"
    return next(f"{three_digits(value * scale)} {unit}" for least, scale, unit in
                [(0.9995, 1, "s"), (0.9995e-3, 1e3, "ms"), (0, 1e6, "us")] if value >= least)


def size(count):
    """194300000 -> "194 MB"; "" for None."""
    if count is None:
        return ""
    for unit in ["B", "kB", "MB", "GB"]:
        if count < 999.5:
            return f"{count:.0f} B" if unit == "B" else f"{three_digits(count)} {unit}"
        count /= 1000
    return f"{three_digits(count)} TB"


def three_digits(value):
    return f"{value:.{0 if value >= 99.95 else 1 if value >= 9.995 else 2}f}"


def times(ratio):
    return "-" if ratio is None else f"{ratio:.2f}x"


def two_digits(value):
    return "-" if value is None else f"{value:.2f}"


def percent(fraction, digits=0):
    return f"{100 * fraction:.{digits}f} %"


def per_entry(count, entries):
    return "-" if entries == 0 else f"{count / entries:.2f}"


def clean(text):
    """Text of a file or a driver, as it may stand in a line or in a table's cell; "" for None."""
    return " ".join((text or "").replace("|", "\\|").split())
