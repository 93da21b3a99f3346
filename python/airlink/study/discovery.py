"""Installed studies, found by the entry points of their packages and imported one at a time.

A package offers a study in its pyproject.toml:

    [project.entry-points."airlink.studies"]
    my-paper = "my_package:STUDY"

Left out: studies that are not installed; `Study.run` runs those from a script.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from airlink.study.study import Study

ENTRY_POINTS = "airlink.studies"
"""Name of the group of entry points."""


class StudyUnavailable(Exception):
    """A study is not installed, is offered by two packages, or cannot be imported. The message says which."""


def study_names() -> list[str]:
    """The names of all installed studies, sorted; nothing is imported."""
    return sorted({each.name for each in entry_points(group=ENTRY_POINTS)})


def load_study(name: str) -> Study:
    """Imports one study; no other study is imported.

    Raises
    ------
    StudyUnavailable : see there.
    """
    offers = sorted(entry_points(group=ENTRY_POINTS, name=name), key=_package)
    if not offers:
        raise StudyUnavailable(f"no study {name!r}; there are: {', '.join(study_names()) or 'none'}")
    if len(offers) > 1:
        packages = ", ".join(_package(each) for each in offers)
        raise StudyUnavailable(f"study {name!r} is offered by several packages: {packages}; uninstall all but one")
    return _loaded(offers[0])


def installed_studies() -> tuple[dict[str, Study], list[str]]:
    """All installed studies by name, and why each other one cannot be imported."""
    studies, unavailable = {}, []
    for name in study_names():
        try:
            studies[name] = load_study(name)
        except StudyUnavailable as error:
            unavailable.append(str(error))
    return studies, unavailable


def _loaded(offer: EntryPoint) -> Study:
    told = f"study {offer.name!r} of the package {_package(offer)}"
    try:
        study = offer.load()
    # The code of another package may raise anything when it is imported.
    except Exception as error:
        said = " ".join(str(error).split())
        raise StudyUnavailable(f"{told} cannot be imported: {type(error).__name__}: {said}") from error
    if not isinstance(study, Study):
        raise StudyUnavailable(f"{told}: {offer.value} is a {type(study).__name__}, not an airlink.study.Study")
    if study.name != offer.name:
        raise StudyUnavailable(f"{told}: {offer.value} has the name {study.name!r}; both names must be the same")
    return study


def _package(offer: EntryPoint) -> str:
    return "?" if offer.dist is None else offer.dist.name
