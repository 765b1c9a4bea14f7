"""JSON texts for hypothesis: well-formed ones in any spelling, and damaged ones."""

import json

from hypothesis import strategies as st

NUMBERS = st.one_of(
    st.integers().map(str),
    st.from_regex(r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?", fullmatch=True),
    st.sampled_from(
        ["-0", "-0.0", "1E400", "1e-400", "9" * 40, "9" * 4300, "9" * 4301, "-" + "9" * 4300, "0.1" + "0" * 760]
    ),
)
CHARACTERS = st.characters(exclude_categories=["Cs"])
STRINGS = st.text(CHARACTERS, max_size=8)
NAMES = st.one_of(st.sampled_from(["a", "b", "é", "\uffff", "\U0001f600", ""]), STRINGS)
SPACES = st.sampled_from(["", "", "", " ", "\n\t", "\r\n"])


@st.composite
def string_texts(draw: st.DrawFn, strings: st.SearchStrategy[str] = STRINGS) -> str:
    """Give a JSON string, written plainly or with all escapes."""
    return json.dumps(draw(strings), ensure_ascii=draw(st.booleans()))


@st.composite
def array_texts(draw: st.DrawFn, items: st.SearchStrategy[str]) -> str:
    space = draw(SPACES)
    return "[" + f"{space},{space}".join(draw(st.lists(items, max_size=4))) + space + "]"


@st.composite
def object_texts(draw: st.DrawFn, items: st.SearchStrategy[str]) -> str:
    """Give a JSON object; members may repeat."""
    space = draw(SPACES)
    members = draw(st.lists(st.tuples(string_texts(NAMES), items), max_size=4))
    return "{" + ",".join(f"{space}{name}{space}:{space}{item}" for name, item in members) + space + "}"


SCALARS = st.one_of(st.sampled_from(["null", "true", "false"]), NUMBERS, string_texts())
JSON_TEXTS = st.recursive(SCALARS, lambda items: st.one_of(array_texts(items), object_texts(items)), max_leaves=12)
OBJECT_TEXTS = object_texts(JSON_TEXTS)

STRUCTURE = [bytes([byte]) for byte in b",:{}[]\"\\'-+.0e/ \x00\x0b\x1f\xff"]
ESCAPES = [b"\\ud83d", b"\\ude00", b"\\u0000"]
WORDS = [b"NaN", b"Infinity", b"null", b"//", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xc2\xa0"]
DAMAGES = st.sampled_from([*STRUCTURE, *ESCAPES, *WORDS])


@st.composite
def damaged_texts(draw: st.DrawFn) -> bytes:
    """Give the bytes of a JSON text with up to three pieces cut out or put in."""
    text = draw(JSON_TEXTS).encode()
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 3)))
        text = text[:start] + draw(st.one_of(DAMAGES, st.binary(max_size=2))) + text[end:]
    return text
