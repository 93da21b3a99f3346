"""The paper that a study reproduces, and airlink itself: as a line that names them, and as BibTeX to paste.

What a text does not name is said, never guessed. Left out: every other reference (`docs/references.toml`).
"""

from __future__ import annotations

from dataclasses import dataclass

from airlink.report.tables import listed

KINDS = {"transactions": "article", "journal": "article", "letters": "article", "magazine": "article"}
"""Word of a venue -> kind of BibTeX entry; any other venue is a conference."""


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes
    ----------
    title : as printed; of a text without a title its subject.
    authors : initials and name, "T. E. Klein"; empty: our text names none.
    year : None: our text names none.
    venue : conference or journal; empty: our text names none.
    note : what a reader must know besides, "the year is inferred"; may be empty.
    doi : may be empty.
    key : by which pages cite it, "Klein04".
    """

    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    note: str = ""
    doi: str = ""
    key: str = ""

    @property
    def unknown(self) -> str:
        """What our text of the paper does not name, as a sentence has it; empty if it names all.

        >>> Paper("On air", ("A. Nobody",)).unknown
        'our text names no venue and no year'
        """
        known = (("authors", self.authors), ("venue", self.venue), ("year", self.year))
        missing = listed(f"no {name}" for name, value in known if not value)
        return missing and f"our text names {missing}"

    @property
    def byline(self) -> str:
        """Authors, venue and year, then what is unknown.

        >>> Paper("On air", ("A. Nobody", "B. Noone"), 2004, "IEEE GLOBECOM", "the year is inferred").byline
        'A. Nobody, B. Noone. IEEE GLOBECOM, 2004 (the year is inferred)'
        """
        published = ", ".join([*([self.venue] if self.venue else []), *([str(self.year)] if self.year else [])])
        said = "; ".join(filter(None, (self.unknown, self.note)))
        named = ". ".join(filter(None, (", ".join(self.authors), published)))
        if not named:
            return said[:1].upper() + said[1:]
        return f"{named} ({said})" if said else named

    @property
    def line(self) -> str:
        """Title, authors, venue and year in a line.

        >>> Paper("On air", ("A. Nobody",), 2004, "IEEE GLOBECOM").line
        'On air. A. Nobody. IEEE GLOBECOM, 2004'
        """
        return f"{self.title}. {self.byline}" if self.byline else self.title

    def bibtex(self, key: str = "") -> str:
        """The entry, by its own key or another one; what is unknown is left out and said in its note.

        >>> print(Paper("On air", ("A. Nobody",), 2004, "IEEE GLOBECOM").bibtex("Nobody04"))
        @inproceedings{Nobody04,
          author    = {A. Nobody},
          title     = {{On air}},
          booktitle = {IEEE GLOBECOM},
          year      = {2004}
        }
        """
        kind = _kind(self.venue)
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            "journal" if kind == "article" else "booktitle": self.venue,
            "year": "" if self.year is None else str(self.year),
            "doi": self.doi,
            "note": "; ".join(filter(None, (self.unknown, self.note))),
        }
        return _entry(kind, key or self.key, fields)


def airlink_bibtex(version: str) -> str:
    """The entry of airlink, as CITATION.cff has it, with the version that made the numbers.

    >>> print(airlink_bibtex("0.2.0"))
    @software{airlink,
      author    = {{The airlink authors}},
      title     = {{airlink: a packet-level simulator of a wireless downlink}},
      version   = {0.2.0},
      url       = {https://github.com/airlink-sim/airlink}
    }
    """
    fields = {
        "author": "{The airlink authors}",
        "title": "{airlink: a packet-level simulator of a wireless downlink}",
        "version": version,
        "url": "https://github.com/airlink-sim/airlink",
    }
    return _entry("software", "airlink", fields)


def _kind(venue: str) -> str:
    found = [kind for word, kind in KINDS.items() if word in venue.lower()]
    return found[0] if found else "inproceedings" if venue else "misc"


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name:<9} = {{{value}}}" for name, value in fields.items() if value]
    return "\n".join((f"@{kind}{{{key},", ",\n".join(lines), "}"))
