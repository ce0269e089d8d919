"""One colour for each library and format, in all pictures: ours are full, others are pale."""

COLOURS = {"hisparse": "#c1121f", "hisparse-each": "#f08080", "hisparse-once": "#7d0a14",
           "hisparse-shared": "#ff5d8f",
           "csr": "#111111", "csr-of-transpose": "#7a7a7a", "csr5": "#e07b00",
           "sellp": "#1261a0", "sellp-sorted": "#5b2a86", "cmrs": "#1b7f3b",
           "eigen": "#e8a79b", "graphblas": "#9cc3e0", "librsb": "#a5d098", "petsc": "#cfa9dc", "mkl": "#e3c36f",
           "eigen-symmetric": "#d18f80", "librsb-symmetric": "#8cbb7e", "mkl-symmetric": "#c9b458",
           "cusparse": "#a8c8a0", "naive": "#c9c9c9", "coo": "#b0b0b0"}
CEILING = "#444444"  # what the memory's bandwidth allows
