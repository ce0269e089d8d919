"""One colour for each library and format, in all pictures: ours are strong, others are pale."""

COLOURS = {
    "hisparse": "#0b4fa8", "csr5": "#e07b00", "sellp": "#c1121f", "cmrs": "#1b7f3b", "csr": "#111111",
    "csr-of-transpose": "#7a7a7a",
    "cusparse": "#a8c8a0", "naive": "#c9c9c9", "coo": "#b0b0b0",
    "eigen": "#e3b7b0", "graphblas": "#b5cfe3", "librsb": "#b9d8b0", "petsc": "#d9c3e0", "mkl": "#e8d3a0",
}
CEILING = "#444444"  # what the memory's bandwidth allows
