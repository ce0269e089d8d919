"""PageRank of a real graph: who met whom outside of a karate club (W. W. Zachary, An Information Flow Model for
Conflict and Fission in Small Groups, Journal of Anthropological Research 33, 1977, figure 1). The instructor is member
1, the club's president member 34; they come out first.

    python page_rank.py picture.png
"""

import sys

import numpy as np

import copse

MEMBERS = 34
# Of each member those of a lower number.
EDGES = {
    2: [1], 3: [1, 2], 4: [1, 2, 3], 5: [1], 6: [1], 7: [1, 5, 6], 8: [1, 2, 3, 4], 9: [1, 3], 10: [3], 11: [1, 5, 6],
    12: [1], 13: [1, 4], 14: [1, 2, 3, 4], 17: [6, 7], 18: [1, 2], 20: [1, 2], 22: [1, 2], 26: [24, 25],
    28: [3, 24, 25], 29: [3], 30: [24, 27], 31: [2, 9], 32: [1, 25, 26, 29],
    33: [3, 9, 15, 16, 19, 21, 23, 24, 30, 31, 32],
    34: [9, 10, 14, 15, 16, 19, 20, 21, 23, 24, 27, 28, 29, 30, 31, 32, 33],
}  # fmt: skip


def graph():
    """A[i, j] = 1 where members i + 1 and j + 1 met."""
    pairs = np.array([(a - 1, b - 1) for a, others in EDGES.items() for b in others])
    row, column = np.concatenate([pairs, pairs[:, ::-1]]).T
    return copse.coo_array((np.ones(row.size), (row, column)), shape=(MEMBERS, MEMBERS))


def run():
    A = graph()
    rank, info = copse.linalg.pagerank(A, damping=0.85, tol=1e-10)
    return {"A": A, "rank": rank, "info": info, "first": (np.argsort(-rank)[:5] + 1).tolist()}


def draw(result):
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.bar(np.arange(MEMBERS) + 1, result["rank"])
    left.set_xlabel("member")
    left.set_title(f"rank after {result['info'].steps} steps; first: {result['first']}")
    result["A"].spy(right)
    return figure


if __name__ == "__main__":
    draw(run()).savefig(sys.argv[1] if len(sys.argv) > 1 else "page_rank.png", dpi=120)
