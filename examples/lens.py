"""Optimise a camera lens by tracing rays through it: Cooke's triplet.

    pip install 'funcgrad[examples]'
    python -m doctest -v examples/lens.py    # the story
    python examples/lens.py                  # the full work, with its picture

Three lenses of two glasses, six spheres. Rays of three colours come from three directions, 0, 14 and 20 degrees off the
axis, and are traced by Snell's law through one sphere after the other. Wanted are curvatures and distances for which
the rays of each direction meet in a spot as small as can be, at a focal length of 50 mm. The method is that of lens
design, damped least squares: SciPy's `least_squares`, with the exact Jacobian of all rays by forward mode.

What is exact about a ray tracer can be tested. A sphere of index n images a point at a distance r / n from its centre
free of all error, to r n (Abbe's aplanatic points): rays that aim at the second one pass through the first.

>>> n, r, height = 1.5, 10.0, np.array([0.5, 2.0, 5.0])
>>> aim = np.array([0.0, 0.0, r + r * n])  # the centre is at r, as the vertex is at 0
>>> origin = np.stack([0 * height, height, 0 * height - 20], axis=1)
>>> along = (aim - origin) / np.linalg.norm(aim - origin, axis=1, keepdims=True)
>>> point, along = through_surface(origin, along, 1 / r, 1.0, n)
>>> z = point[:, 2] - point[:, 1] * along[:, 2] / along[:, 1]  # where they cross the axis
>>> bool(np.allclose(z, r + r / n, atol=1e-12))
True

The search starts with plane and spherical surfaces of equal strength and ends at the lens that books show, with radii
of 22.0, -436, -22.2, 20.3, 79.7 and -18.4 mm, or nearly: a little better by this measure. The picture shows the lens
before and after, and the spots of the three directions in the light of three colours.

Sources: H. D. Taylor's patent (1893); W. Smith, "Modern Optical Engineering"; the indices are of Schott's catalogue.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import least_squares
from tqdm import tqdm

import funcgrad as fg

SK16 = {486: 1.62756, 588: 1.62041, 656: 1.61727}  # the index at wavelengths in nm: Fraunhofer's lines F, d and C
F2 = {486: 1.63208, 588: 1.62004, 656: 1.61503}
AIR = {486: 1.0, 588: 1.0, 656: 1.0}
MEDIA = [SK16, AIR, F2, AIR, SK16, AIR]  # behind each surface
COLOURS = {486: "tab:blue", 588: "tab:green", 656: "tab:red"}
ANGLES, FOCAL_LENGTH, PUPIL = (0.0, 14.0, 20.0), 50.0, 5.0  # degrees; mm; mm, the radius: f/5
# Six curvatures in 1/mm, then six distances in mm: each to the surface before, and the last one to the film.
START = np.array([1 / 25, 0.0, -1 / 25, 1 / 25, 0.0, -1 / 25, 3.0, 6.0, 1.0, 5.0, 3.0, 42.0])
THIN = np.array([2.0, 2.0, 0.8, 2.0, 2.0, 30.0])  # what distances must be at least
THICK = np.array([5.0, 9.0, 2.0, 9.0, 5.0, 60.0])


def through_surface(origin, along, curvature, n, n_behind):
    """Where rays meet a sphere with its vertex at 0, and their directions behind it, by Snell's law.

    A plane lets a ray through at the angle whose sine is smaller by the index.

    >>> point, along = through_surface(np.zeros((1, 3)), np.array([[0.0, 0.6, 0.8]]), 0.0, 1.0, 1.5)
    >>> along.round(6)
    array([[0.      , 0.4     , 0.916515]])
    """
    flat = origin - origin[:, 2:] / along[:, 2:] * along  # in the plane of the vertex
    b = along[:, 2] - curvature * np.sum(flat * along, axis=1)
    c = curvature * np.sum(flat**2, axis=1)
    distance = c / (b + np.sqrt(b**2 - curvature * c))
    point = flat + distance[:, None] * along
    normal = np.array([0.0, 0.0, 1.0]) - curvature * point
    cosine = np.sum(normal * along, axis=1, keepdims=True)
    ratio = n / n_behind
    return point, ratio * along + (np.sqrt(1 - ratio**2 * (1 - cosine**2)) - ratio * cosine) * normal


def traced(lens, colour, angle, pupil):
    """The points of rays on all surfaces and on the film, each with z from its own vertex; then their directions.

    Arguments:
        lens: curvatures and distances.
        angle: of the rays to the axis, in degrees: one for all, or one for each.
        pupil: (rays, 2), where in the entrance pupil, which is 11.5 mm behind the first vertex.
    """
    angle = np.broadcast_to(np.radians(angle), len(pupil))
    along = np.stack([np.zeros(len(pupil)), np.sin(angle), np.cos(angle)], axis=1)
    point = np.column_stack([pupil, np.full(len(pupil), 11.5)])
    n, points = 1.0, []
    for curvature, distance, medium in zip(lens[:6], lens[6:], MEDIA, strict=True):
        point, along = through_surface(point, along, curvature, n, medium[colour])
        points.append(point)
        point, n = point - distance * np.array([0.0, 0.0, 1.0]), medium[colour]
    points.append(point - point[:, 2:] / along[:, 2:] * along)
    return points, along


def focal_length(lens, height=1e-4):
    """From a ray close to the axis.

    >>> print(f"{focal_length(START):.4f}, by matrices {1 / power(START):.4f}")
    134.8143, by matrices 134.8143
    """
    _, along = traced(lens, 588, 0.0, np.array([[0.0, height]]))
    return -height * along[0, 2] / along[0, 1]


def power(lens):
    """One over the focal length, by the matrices of paraxial optics: another way to the same number."""
    ray, n = np.array([1.0, 0.0]), 1.0  # height, and angle times index
    for curvature, distance, medium in zip(lens[:6], lens[6:], MEDIA, strict=True):
        ray = ray - np.array([0.0, ray[0] * curvature * (medium[588] - n)])
        n = medium[588]
        ray = ray + np.array([ray[1] * distance / n, 0.0])
    return -ray[1]


def disc(rays):
    """Points that fill the pupil evenly, on a spiral like the seeds of a sunflower."""
    k = np.arange(rays)
    radius, turn = PUPIL * np.sqrt((k + 0.5) / rays), k * np.pi * (3 - np.sqrt(5))
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)


def spots(lens, pupil):
    """Where rays meet the film, about the middle of their direction: in mm, (angles, colours, rays, 2)."""
    angle, pupil = np.repeat(ANGLES, len(pupil)), np.tile(pupil, (len(ANGLES), 1))
    film = np.stack([traced(lens, colour, angle, pupil)[0][-1][:, :2] for colour in COLOURS])
    film = film.reshape(len(COLOURS), len(ANGLES), -1, 2).swapaxes(0, 1)
    return film - np.mean(film, axis=(1, 2), keepdims=True)


def errors(lens, pupil):
    """What the squares of are to be small: all distances within the spots, and the error of the focal length."""
    return np.concatenate([spots(lens, pupil).ravel(), np.stack([10 * (focal_length(lens) - FOCAL_LENGTH)])])


def radii(lens, pupil):
    """The size of each spot in μm, root mean square."""
    return 1000 * np.sqrt(np.mean(np.sum(np.asarray(spots(lens, pupil)) ** 2, axis=-1), axis=(1, 2)))


def optimised(lens, pupil, steps):
    jacobian = fg.jit(fg.jacfwd(errors))
    bounds = np.append(np.full(6, -0.08), THIN), np.append(np.full(6, 0.08), THICK)
    with tqdm(total=steps, desc="design", unit="step") as bar:

        def count(x):
            bar.update()
            return np.asarray(jacobian(x, pupil))

        scale = np.append(np.full(6, 0.01), np.full(6, 3.0))
        return least_squares(lambda x: errors(x, pupil), lens, count, bounds, x_scale=scale, max_nfev=steps).x


def draw_lens(axes, lens, title):
    """A section through the lens with its rays."""
    vertices = np.concatenate([[0.0], np.cumsum(lens[6:])])
    heights = np.zeros(6)
    for angle, colour in zip(ANGLES, ("tab:purple", "tab:gray", "tab:brown"), strict=True):
        pupil = np.stack([np.zeros(5), np.linspace(-PUPIL, PUPIL, 5)], axis=1)
        points, _ = traced(lens, 588, angle, pupil)
        heights = np.maximum(heights, [np.abs(point[:, 1]).max() for point in points[:6]])
        y, z = np.stack([p[:, 1] for p in points]), np.stack([p[:, 2] for p in points]) + vertices[:, None]
        start = y[0] - (z[0] + 8) * np.tan(np.radians(angle))
        axes.plot(np.vstack([np.full(5, -8.0), z]), np.vstack([start, y]), color=colour, lw=0.6)
        axes.text(vertices[6] + 1, y[-1].mean(), f"{angle:.0f}°", color=colour, va="center")
    for k, glass in ((0, "#b5d4ee"), (2, "#f6d5a8"), (4, "#b5d4ee")):
        y = np.linspace(-1, 1, 101) * max(heights[k], heights[k + 1]) * 1.05
        front, back = (y**2 * c / (1 + np.sqrt(1 - y**2 * c**2)) for c in lens[k : k + 2])
        axes.fill_betweenx(y, vertices[k] + front, vertices[k + 1] + back, facecolor=glass, edgecolor="0.3", lw=0.8)
    axes.axvline(vertices[6], color="0.3", lw=1.5)
    axes.set(title=title, aspect="equal", xlim=(-9, 66), ylim=(-14, 24))
    axes.axis("off")


def draw(path, lens):
    rows = "A0;A0;A1;B1;B2;B2"
    figure, axes = plt.subplot_mosaic(rows, figsize=(10, 6.6), layout="constrained", width_ratios=[2.6, 1])
    draw_lens(axes["A"], START, f"Before: focal length {focal_length(START):.0f} mm")
    draw_lens(axes["B"], lens, f"After: focal length {focal_length(lens):.1f} mm")
    pupil = disc(300)
    for k, (angle, size) in enumerate(zip(ANGLES, radii(lens, pupil), strict=True)):
        for of_colour, (name, colour) in zip(np.asarray(spots(lens, pupil))[k], COLOURS.items(), strict=True):
            axes[str(k)].plot(*1000 * of_colour.T, ".", color=colour, ms=1.5, label=f"{name} nm")
        axes[str(k)].set(aspect="equal", xlim=(-40, 40), ylim=(-40, 40), xticks=[-40, 0, 40], yticks=[-40, 0, 40])
        axes[str(k)].set_ylabel("μm")
        axes[str(k)].set_title(f"{angle:.0f}°: {size:.1f} μm (rms)", fontsize=10)
    axes["0"].legend(fontsize=7, markerscale=4, loc="upper left", handletextpad=0)
    axes["2"].set_xlabel("μm")
    figure.savefig(path, dpi=90)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer rays")
    parser.add_argument("--out", type=Path, default=Path("lens.png"), help="where to save the picture")
    options = parser.parse_args(arguments)

    pupil = disc(8 if options.quick else 40)
    lens = optimised(START, pupil, 40 if options.quick else 200)
    for name, each in (("before", START), ("after", lens)):
        print(f"{name:<15} focal length {focal_length(each):.2f} mm, spots of ", end="")
        print(", ".join(f"{size:.1f}" for size in radii(each, disc(300))), "μm")
    print(f"radii           {np.array2string(1 / lens[:6], precision=2, suppress_small=True)} mm")
    print(f"distances       {np.array2string(lens[6:], precision=2)} mm")
    draw(options.out, lens)
    print(f"picture         {options.out}")


if __name__ == "__main__":
    main()
