"""A second airlink: slow, plain Python, written from the rules of docs/scenario.md, to compare the engine with.

Where the page was silent at first (details of TCP above all), the recorded series and the RFCs decided, and the rule
was added to the page.

What is drawn at random comes from the engine's own series: the channel and the reported rates of every user and slot,
which frames were lost, when flows start and files arrive, how large they and pages are, how long users think. All else
is computed here: who gets each slot, what it carries, queues, link repetition, wires, TCP. It shares no code with the
engine and prefers the shortest text to the fastest run.

`wired.py` is a second network: a wired bottleneck, and connections with data both ways (`end.py`), ECN and datagrams.
ns-2 is held against it, too (`tests/validation/ns2/plain_side.py`).

Leaves out: the channel and link (their draws are taken over), traces, random ties, the two control schedulers of paper
001, and percentiles.
"""
