"""Tomography: an image from its projections. Row k of A has the lengths at which ray k crosses the pixels, here by
points along the ray. cgls multiplies with A and A.T in one pass, and is stopped early: later steps fit the noise.

    python tomography.py picture.png
"""

import sys

import numpy as np

import copse

SIZE, ANGLES = 48, 60


def projections():
    """Parallel rays, SIZE for each of ANGLES directions; A: rays x pixels."""
    step = 0.5
    along = np.arange(-SIZE / 2, SIZE / 2, step)
    offsets = np.arange(SIZE) - SIZE / 2 + 0.5
    angle = np.pi * np.arange(ANGLES)[:, None, None] / ANGLES
    x = offsets[None, :, None] * np.cos(angle) - along * np.sin(angle) + SIZE / 2
    y = offsets[None, :, None] * np.sin(angle) + along * np.cos(angle) + SIZE / 2
    ray = np.broadcast_to(np.arange(ANGLES * SIZE).reshape(ANGLES, SIZE, 1), x.shape)
    inside = (x >= 0) & (x < SIZE) & (y >= 0) & (y < SIZE)
    pixel = y[inside].astype(int) * SIZE + x[inside].astype(int)
    return copse.coo_array((np.full(pixel.size, step), (ray[inside], pixel)), shape=(ANGLES * SIZE, SIZE * SIZE))


def phantom():
    y, x = (np.mgrid[:SIZE, :SIZE] + 0.5) / SIZE - 0.5
    image = 1.0 * ((x / 0.4) ** 2 + (y / 0.45) ** 2 < 1)
    image[(x + 0.12) ** 2 + (y - 0.05) ** 2 < 0.01] = 0.2
    image[(x - 0.15) ** 2 + (y + 0.1) ** 2 < 0.02] = 1.8
    return image


def run():
    A, image = projections(), phantom()
    measured = A @ image.ravel()
    measured += 0.01 * measured.max() * np.random.default_rng(0).standard_normal(measured.size)
    found, info = copse.linalg.cgls(A, measured, maxiter=15)
    found = found.reshape(SIZE, SIZE)
    error = np.linalg.norm(found - image) / np.linalg.norm(image)
    return {"sinogram": measured.reshape(ANGLES, SIZE), "image": image, "found": found, "error": error, "info": info}


def draw(result):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.5), layout="constrained")
    for ax, name in zip(axes, ("image", "sinogram", "found"), strict=True):
        ax.imshow(result[name], cmap="Greys_r")
        ax.set_title(name if name != "found" else f"found, relative error {result['error']:.2f}")
    return figure


if __name__ == "__main__":
    draw(run()).savefig(sys.argv[1] if len(sys.argv) > 1 else "tomography.png", dpi=120)
