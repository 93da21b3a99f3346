"""What a notebook shows of an answer: what was found, its picture, its numbers, and what they rest on."""

from __future__ import annotations

from collections.abc import Sequence

from airlink.campaign.answer import Answer
from airlink.engine import html
from airlink.plots.charts import figure
from airlink.plots.charts.chart import Chart
from airlink.report.of_answer import charts_of, facts, headlines, lead, sections
from airlink.report.tables import Sheet


def of_answer(answer: Answer) -> str:
    """An answer: a sentence each, the first of its charts, its tables; what they rest on is folded away."""
    numbers, *_ = sections(answer)
    first, *others = [_sheet(part) for part in numbers.parts if isinstance(part, Sheet)]
    told = "".join(html.paragraph(f"{name}: {value}") for name, value in facts(answer))
    return html.document(
        *map(html.paragraph, headlines(answer)),
        *map(_picture, charts_of(answer)[:1]),
        first,
        html.folded("More numbers", "\n".join(others)),
        html.folded("What they rest on", html.paragraph(lead(answer)) + told),
    )


def _sheet(sheet: Sheet) -> str:
    heads = [html.Head(name, words=sheet.alignment(index) == "left") for index, name in enumerate(sheet.columns)]
    shown, left_out = html.chosen_rows(len(sheet.rows))
    rows: Sequence[Sequence[str]] = [sheet.rows[row] for row in shown]
    return html.table(heads, rows, sheet.title, left_out) + html.paragraph(sheet.note)


def _picture(chart: Chart) -> str:
    return f"{html.image(figure(chart, column=True)._repr_png_(), chart.title)}\n{html.paragraph(chart.note)}"
