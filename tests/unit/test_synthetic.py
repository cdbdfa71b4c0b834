"""The made-up languages of the demo: the same from one seed, with agreement that only the target shows."""

import numpy as np

from mtcore.corpora.synthetic import ADJECTIVES, NOUNS, SOURCE, TARGET, VERBS, Speaker, make_lexicon


def speaker(origin: str, seed: int = 1) -> Speaker:
    return Speaker(make_lexicon(np.random.default_rng(7)), origin, np.random.default_rng(seed))


def test_the_same_seed_says_the_same_and_another_something_else():
    assert speaker(SOURCE).sentences(20) == speaker(SOURCE).sentences(20)
    assert speaker(SOURCE).sentences(20) != speaker(SOURCE, seed=2).sentences(20)


def test_every_word_is_another_one():
    lexicon = make_lexicon(np.random.default_rng(7))
    words = [
        word for kind in (lexicon.nouns, lexicon.verbs, lexicon.adjectives) for side in kind for word in side
    ]
    assert len(words) == len(set(words)) == 2 * (NOUNS + VERBS + ADJECTIVES)


def test_articles_adjectives_and_verbs_agree_with_the_noun_and_the_verb_comes_last():
    own = speaker(TARGET)
    nouns = dict(zip(own.lexicon.nouns[1], own.lexicon.genders, strict=True))
    for source, target in own.sentences(300):
        words = target.split()
        genders = [nouns[word] for word in words if word in nouns]
        assert len(genders) == 2 and words[0] in ("le", "la", "lo", "un", "una", "uno")
        assert ("le", "la", "lo").index(words[0]) == genders[0] if words[0][0] == "l" else True
        assert words[-1].endswith(("et", "at", "it")[genders[0]]), "the verb agrees with the subject"
        assert source.split()[0] in ("a", "the") and len(source.split()) == len(words)


def test_the_two_sides_talk_about_other_things():
    def common(origin: str, seed: int) -> set[str]:
        words = [word for _, target in speaker(origin, seed).sentences(2000) for word in target.split()]
        counts = {word: words.count(word) for word in set(words) & set(speaker(origin).lexicon.nouns[1])}
        return set(sorted(counts, key=lambda word: -counts[word])[:40])

    assert len(common(SOURCE, 1) & common(SOURCE, 2)) > 30
    assert len(common(SOURCE, 1) & common(TARGET, 1)) < 15
