// Pages for users come before the records of decisions (html_search_scorer of Sphinx; the other scores are its defaults).
var Scorer = {
  score: ([docname, , , , score]) => score - (docname.startsWith("docs/decisions/") ? 100 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
