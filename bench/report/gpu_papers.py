"""HiSparse's Tables 1 and 2 with our columns: milliseconds, mean (standard deviation) over the matrices."""

from math import ceil

from gpu_records import grouped, mean_and_deviation
from tables import table

MATRICES = 14  # of HiSparse's Figure 4; stand-ins for them: bench/paper_matrices.cpp

# The paper's lines: type, library, milliseconds by columns; "" where the paper has no figure.
TABLE_1 = [  # A x, A^T x
    ("float", "HiSparse", "3.45 (3.45)", "3.45 (3.88)"),
    ("float", "cuSPARSE", "23.51 (67.27)", "24.16 (37.78)"),
    ("float", "cusp", "4.28 (8.65)", "67.31 (64.85)"),
    ("float", "naive", "22.51 (57.80)", "18.11 (42.01)"),
    ("float", "bhSparse", "1.52 (2.51)", ""),
    ("float", "clSpMV", "1.31 (1.34)", ""),
    ("float", "yaSpMV", "0.77 (0.76)", ""),
    ("double", "HiSparse", "4.68 (4.13)", "4.47 (4.62)"),
    ("double", "cuSPARSE", "27.11 (76.00)", "27.90 (42.76)"),
    ("double", "cusp", "5.29 (10.40)", "61.01 (58.19)"),
    ("double", "naive", "30.71 (74.65)", "23.92 (51.92)"),
    ("double", "bhSparse", "2.16 (3.23)", ""),
]
TABLE_2 = [  # A + B, A^T + B^T with the transpositions, and without
    ("float", "HiSparse", "12.79 (12.99)", "26.42 (28.23)", "26.43 (28.24)"),
    ("float", "cuSPARSE", "52.08 (99.65)", "165.35 (175.95)", "55.43 (100.78)"),
    ("float", "cusp", "86.08 (86.06)", "144.29 (140.72)", "79.54 (78.30)"),
    ("double", "HiSparse", "14.94 (15.06)", "27.91 (29.20)", "27.91 (29.20)"),
    ("double", "cuSPARSE", "59.73 (112.35)", "195.50 (206.95)", "61.64 (112.43)"),
    ("double", "cusp", "119.08 (101.63)", "208.03 (174.96)", "126.07 (100.07)"),
]

# cuSPARSE's variants in the tables: as in the paper, it transposes in each call. One has A^T and B^T stored; its times
# are the last column of the one that transposes.
TRANSPOSES, STORED = "cusparse csr2csc + csrgeam2", "cusparse csrgeam2, transposed stored"
SHOWN = {"naive thread for each row", "cusparse csrgeam2", TRANSPOSES, STORED} | {
    f"cusparse {variant}" for n in (1, 2) for variant in (f"csr {n}", f"csr {n}, transpose", f"csr2csc + csr {n}")}


def participants(column):
    """14 of 14; 8 of 14, up to 17 M entries: of how many matrices the means of a column are."""
    count = len({r["matrix"] for r in column})
    text = f"{count} of {MATRICES}"
    return text if count >= MATRICES else f"{text}, up to {ceil(max(r['entries'] for r in column) / 1e6)} M entries"


def rows_here(records, columns):
    """(rows, whether each mean is over all of the paper's matrices)"""
    def column_of(r):
        return columns[2] if r.name == STORED and len(columns) > 2 else r.operation

    timed = [r for r in records if r["bench"] == "papers" and r["seconds"] is not None and not r.is_conversion
             and (r.is_ours or r.name in SHOWN) and r.operation in columns]
    rows, has_all = [], True
    for (type, name), of in grouped(timed, lambda r: (r["type"], TRANSPOSES if r.name == STORED else r.name)).items():
        by_column = [[r for r in of if column_of(r) == c] for c in columns]
        who = list(dict.fromkeys(participants(column) for column in by_column if column))
        has_all = has_all and who == [f"{MATRICES} of {MATRICES}"]
        rows.append(["here", type, name, *(mean_and_deviation([1e3 * r["seconds"] for r in column])
                                           for column in by_column), "; ".join(who)])
    return rows, has_all


def tables(records):
    text = ""
    for title, lines, columns in [("Table 1: products", TABLE_1, ["A x", "A^T x"]),
                                  ("Table 2: sums", TABLE_2, ["A + B", "A^T + B^T", "without transposition"])]:
        rows, has_all = rows_here(records, columns)
        if not rows:
            continue
        theirs = [["paper", *line, "all of its own"] for line in lines]
        text += (f"## HiSparse's {title}, milliseconds, mean (standard deviation)\n\n"
                 + table(["", "type", "by", *columns, "matrices"], theirs + rows, 3) + "\n"
                 + ("" if has_all else "Means over other matrices than the paper's: not all of the "
                    f"{MATRICES} took part. ")
                 + "Ours are stand-ins (`bench/paper_matrices.cpp`); the paper's times are on a GeForce GTX "
                 "1080.\n\n")
    return text
