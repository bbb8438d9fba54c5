"""``python -m paper_figures [NAME ...] [results_dir=DIR] [output_dir=DIR]``: redraw the publication figures."""

from __future__ import annotations

from pathlib import Path

from dprepro.commands.ending import console, tell_error
from dprepro.errors import InputError, unknown
from paper_figures.figures import FIGURES

PACKAGE = Path(__file__).parent
HERE = PACKAGE if (PACKAGE.parent / "pyproject.toml").is_file() else Path(PACKAGE.name)
"""In a checkout the package's own folder; never one among installed packages."""
HELP = f"""usage: python -m paper_figures [NAME ...] [results_dir=DIR] [output_dir=DIR]

Draws publication figures, PNG and PDF, from the measurements stored in results_dir (default: results) into
output_dir (default: the folder paper_figures). Nothing is measured.

figures (default: all)
{chr(10).join(f"  {name:<14} {figure.what}" for name, figure in FIGURES.items())}"""


def main(arguments: list[str]) -> int:
    """The exit code: 0, or 1 if a figure cannot be drawn, mostly since something is not measured; the others are."""
    places = {"results_dir": "results", "output_dir": str(HERE)}
    names = []
    for argument in arguments:
        if argument in ("-h", "--help"):
            print(HELP)
            return 0
        key, equals, value = argument.partition("=")
        if not equals:
            if key not in FIGURES:
                raise unknown("figure", key, FIGURES)
            names.append(key)
        elif key not in places or not value:
            raise InputError(f"unknown argument {argument!r}; choices: results_dir=DIR, output_dir=DIR")
        else:
            places[key] = value
    from paper_figures.measured import Measurements, NotMeasuredError

    measurements = Measurements(places["results_dir"])
    code = 0
    for name in dict.fromkeys(names or FIGURES):
        try:
            files = FIGURES[name].files(measurements)
        except (NotMeasuredError, InputError) as error:  # a run of an older version may lack a check
            tell_error(f"not drawn: {name}: {error}")
            code = 1
            continue
        for path in _write(Path(places["output_dir"]), name, files):
            print(path)
    return code


def _write(folder: Path, name: str, files: dict[str, bytes]) -> list[Path]:
    from dprepro.support.regular_files import replace_file

    paths = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for kind, content in files.items():
            paths.append(folder / f"{name}.{kind}")
            replace_file(paths[-1], content)
    except OSError as error:
        raise InputError(f"cannot write {folder}: {error.strerror or error}; choose another output_dir") from error
    return paths


if __name__ == "__main__":
    console(main, "paper_figures")
