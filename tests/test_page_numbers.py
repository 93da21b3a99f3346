"""Every number in the pages that lead in comes from a run of today, or is excused with what it is."""

from __future__ import annotations

import pytest

from page_numbers import EXCUSED, PAGES, ROOT, SENTENCES, Sentence, normal, numbers, prose, unexplained


@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda sentence: normal(sentence.words)[:40])
def test_a_sentence_of_a_page_has_the_numbers_of_a_run(sentence: Sentence) -> None:
    assert normal(sentence.text()) in normal((ROOT / sentence.page).read_text())


@pytest.mark.parametrize("page", PAGES)
def test_every_number_of_a_page_is_explained(page: str) -> None:
    sentences = [sentence.text() for sentence in SENTENCES if sentence.page == page]
    assert unexplained((ROOT / page).read_text(), [*sentences, *EXCUSED.get(page, {})]) == []


@pytest.mark.parametrize("page", PAGES)
def test_every_excuse_has_its_words_and_a_number(page: str) -> None:
    excuses = EXCUSED.get(page, {})
    text = prose((ROOT / page).read_text())
    assert [words for words in excuses if normal(words) not in text or not any(numbers(words))] == []
    assert all(excuses.values())


def test_a_number_that_is_shown_or_given_needs_no_word() -> None:
    page = (
        "It takes 1.53 s, rounded 1.5 or 2, at 20 of 40 packets, and 63 % less.\n\n"
        "```console\n$ airlink run k3 -s queue.limit_packets=40\nmean 1.53 s, -62.9 % [20, 64]\n```\n"
    )
    assert unexplained(page, []) == [" takes 1.53 s, rounded 1.5 or 2, at 20 of 40 packets, and 63 "]


def test_a_number_that_nobody_explains_is_found() -> None:
    page = (
        "# A page of 3\n\nOver 50 runs it is 13.6 % more `x = 7` than [that](page-4.md), ns-2.35 says; 10 800 too, "
        "1.5 as well.\n\n```console\n$ airlink run k3 --seed 9\nmean 1.5 s\n```\n    make 8\n"
    )
    assert [found[0] for found in numbers(prose(page))] == ["3", "50", "13.6", "10 800", "1.5"]
    assert unexplained(page, ["A page of 3", "Over 50\nruns it is"]) == [
        " page of 3 Over 50 runs it is 13.6 % more `x = 7` than [that](pa",
        "at](page-4.md), ns-2.35 says; 10 800 too, 1.5 as well.",
    ]
