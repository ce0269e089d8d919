"""Tables that are Markdown and can be read as plain text."""


def table(header, rows, left=1):
    """Lines of a table with its columns padded to one width; the first `left` columns stand left, the others right.

    header: the names of the columns. rows: lists of as many texts.
    """
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells):
        padded = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))]
        return "| " + " | ".join(padded) + " |"

    rule = ["-" * w if i < left else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    return "\n".join([line(header), line(rule), *map(line, rows)]) + "\n"
