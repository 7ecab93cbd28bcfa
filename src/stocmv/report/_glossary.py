"""The words that a page uses, explained."""

import re

_WORDS = {
    "Voter": "A classifier that has one vote, for example a tree of a forest.",
    "Deterministic vote": "The voters vote with fixed weights: the same example always gets the same answer. This is "
    "what predict does.",
    "Stochastic vote": "The voters vote with new weights, drawn for every example. This is what predict_stochastic "
    "does.",
    "Fold": "A random part of the examples. The other parts make its vote and this part judges it, so no examples are "
    "set aside and no vote is judged by examples that its voters have seen.",
    "Judge": "An example on which the errors of a vote are counted.",
    "Evidence": "What a certificate is checked against: what the judging examples showed.",
    "Prior": "The distribution of the voters’ weights before looking at the examples.",
    "KL": "How far the learned distribution of the weights is from the prior. The bound pays for it where the weights "
    "were learned on the judging examples: the closer they fit these, the larger the bound.",
    "Empirical risk": "The mean loss on the judging examples, from which the bound is computed. By itself it promises "
    "nothing.",
    "Measured": "Counted on the judging examples. By itself it promises nothing.",
    "Bound": "A number that the error on new examples does not exceed, unless the judging examples are an unlucky "
    "sample.",
    "Delta": "The probability of a sample so unlucky that a bound is too low. Confidence is one minus delta.",
    "Coverage": "The share of new examples that are answered.",
    "Group": "Rows that belong together, such as those of one patient. Groups, not rows, are the independent draws.",
}


def glossary(page: str) -> dict[str, str]:
    """The words that occur in a page, with their meanings."""
    text = re.sub(r"<[^>]*>", " ", page)
    forms = {word: rf"\b{word.removesuffix('e')}(e|es|s|ing)?\b" for word in _WORDS}
    return {word: _WORDS[word] for word, form in forms.items() if re.search(form, text, re.IGNORECASE)}
