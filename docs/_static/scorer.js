// What the search puts first: headings that hold the words, then named things, then text.
"use strict";

var Scorer = {
  score: (result) => (result[6] === "title" ? result[4] + 30 : result[4]),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
