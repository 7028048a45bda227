"""Opens every page of the site in a browser, on narrow and wide screens, light and dark, and says what is wrong.

    sphinx-build docs build/site
    pip install playwright                              # and a Chromium, as of the system's packages
    python tests/docs/site/browse.py build/site         # --shots DIR keeps pictures of some pages

Wrong are: words on the console, whatever a page asks for that is not there or not of the site, pictures that did not
load, and pages that are wider than the screen.
"""

import argparse
import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SCREENS = {"wide-light": (1400, 900, "light"), "narrow-dark": (380, 800, "dark")}
MORE_SCREENS = {"wide-dark": (1400, 900, "dark"), "narrow-light": (380, 800, "light")}
SHOWN = (
    "index", "torch/none-gradients", "gallery", "coverage", "api", "reference/funcgrad", "torch/operations",
    "quickstart", "search",
)  # fmt: skip  # pages of which pictures are kept, and that are opened on all four screens
PICTURES = "() => [...document.images].filter(i => !(i.complete && i.naturalWidth)).map(i => i.currentSrc)"
WIDTH = "() => document.documentElement.scrollWidth"


def browser() -> str | None:
    """Where a Chromium is."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def problems(site: Path, shots: Path | None = None) -> Iterator[str]:
    """A line for each thing that is wrong."""
    pages = sorted(p.relative_to(site).with_suffix("").as_posix() for p in site.rglob("*.html"))
    playwright = importlib.import_module("playwright.sync_api")
    with playwright.sync_playwright() as p:
        chromium = p.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        for screen, (width, height, scheme) in (SCREENS | MORE_SCREENS).items():
            page = chromium.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            heard: list[str] = []
            listen(page, site, heard)
            for name in pages if screen in SCREENS else SHOWN:
                page.goto((site / f"{name}.html").as_uri() + ("?q=vmap" if name == "search" else ""))
                heard += [f"the picture {source} did not load" for source in page.evaluate(PICTURES)]
                wide = page.evaluate(WIDTH)
                heard += [f"is {wide} pixels wide"] if wide > width else []
                if name == "search":
                    page.wait_for_selector("#search-results li", timeout=20_000)
                if shots and name in SHOWN:
                    page.screenshot(path=shots / f"{name.replace('/', '-')}-{screen}.png")
                yield from (f"{name} ({screen}): {words}" for words in heard)
                heard.clear()
            page.close()
        chromium.close()


def listen(page: Any, site: Path, heard: list[str]) -> None:
    """Notes what a page says and asks for."""
    home = site.as_uri()
    page.on("console", lambda m: heard.append(f"{m.type}: {m.text}"))
    page.on("pageerror", lambda e: heard.append(f"error: {e}"))
    page.on("requestfailed", lambda r: heard.append(f"{r.url} can't be had"))
    page.on("request", lambda r: r.url.startswith((home, "data:")) or heard.append(f"asks for {r.url}"))


def main() -> None:
    """Print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--shots", type=Path)
    options = parser.parse_args()
    if browser() is None:
        sys.exit(f"no browser is installed: none of {', '.join(BROWSERS)}")
    if options.shots:
        options.shots.mkdir(parents=True, exist_ok=True)
    found = list(problems(options.site.resolve(), options.shots))
    print("\n".join(found) or "nothing is wrong")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
