"""Which tables a DDL statement empties or renames, read token by token: no pyspark, no Arrow.

Understood are texts of several statements, comments, and the quotes of MySQL, Oracle, PostgreSQL and SQL Server. What a
comment or a string literal contains is never taken for a keyword.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Name(NamedTuple):
    """A name as the statement writes it. Of `a.b` the part before the dot is `schema_name`, also for MySQL."""

    database_name: str | None
    schema_name: str | None
    table_name: str | None
    """Null: all tables of the database or schema."""


class Rename(NamedTuple):
    """One table of a RENAME."""

    old: Name
    new: Name


class Ddl(NamedTuple):
    """The effect of a DDL text."""

    kind: str | None
    """The first two keywords of the statement that empties a table, else of the first one; null without a keyword."""
    is_understood: bool
    emptied: list[Name]
    """In the order of the text, each table once."""
    renamed: list[Rename]
    changes_partitions: bool
    """Whether partitions are dropped, truncated or exchanged, with rows that no message names."""


class _Token(NamedTuple):
    kind: str
    """word, name (quoted), text (string literal) or mark."""
    text: str

    @property
    def keyword(self) -> str:
        """The word in upper case, or the mark; empty for anything quoted."""
        return self.text.upper() if self.kind in ("word", "mark") else ""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_VERBS = _words(
    "ALTER ANALYZE AUDIT CHECK COMMENT COMMIT CREATE DROP FLASHBACK FLUSH GRANT INSTALL LOCK NOAUDIT OPTIMIZE PURGE "
    "RECOVER REINDEX RENAME REPAIR REVOKE ROLLBACK SET TRUNCATE UNDROP UNINSTALL UNLOCK USE VACUUM"
)
"""First keywords of statements whose effect on the rows is known; DELETE and the like are not among them."""
_PROGRAMS = _words("EVENT FUNCTION PACKAGE PROCEDURE TRIGGER TYPE")
"""Objects with a body, in which a semicolon does not end the statement."""
_ALTER_OPTIONS = _words("IGNORE OFFLINE ONLINE")
_AFTER_NAMES = _words(
    "AS CASCADE CONTINUE DROP NOWAIT ON PRESERVE PURGE RESTART RESTRICT REUSE SETTINGS SYNC WAIT WITH"
)
"""Words that may follow the tables of DROP and TRUNCATE; Oracle logs the name in its recycle bin after AS."""
_ROWS_OF_PARTITIONS = _words("DETACH DISCARD DROP EXCHANGE TRUNCATE")
_NO_TABLE_NAMES = _words("COLUMN CONSTRAINT INDEX KEY PARTITION SUBPARTITION")

# An unterminated literal matches only the pattern of a mark, which is how `_tokens` detects it. The content of `/*!`
# and `/*M!` comments is executed, so only the delimiters are skipped.
_PATTERN = r"""
    (?P<space> \s+ | --[^\n]* | \#[^\n]* | /\*M?![0-9]* | \*/ | /\*(?:[^*]|\*(?!/))*+\*/ )
  | (?P<dollar> \$(?P<tag>[A-Za-z_]*)\$.*?\$(?P=tag)\$ )
  | (?P<text> [NnEeXxBb]?'(?:TEXT|'')*+' )
  | (?P<double> "(?:TEXT|"")*+" )
  | (?P<backtick> `(?:[^`]|``)*+` )
  | (?P<bracket> \[(?:[^\[\]]|\]\])++\] )
  | (?P<word> [\w$@](?:[\w$@]|\#(?=\w))*+ )
  | (?P<mark> . )
"""
_WITH_ESCAPES, _WITHOUT_ESCAPES = (
    re.compile(
        _PATTERN.replace("'(?:TEXT", rf"'(?:[^'{escape}]{also}").replace('"(?:TEXT', rf'"(?:[^"{escape}]{also}'),
        re.VERBOSE | re.DOTALL,
    )
    for escape, also in ((r"\\", r"|\\."), ("", ""))
)


def read_ddl(text: str | bytes | None, source: Name = Name(None, None, None)) -> Ddl | None:  # noqa: B008 - immutable
    """Read the text of DDL.

    Args:
        text: one statement or several, separated by semicolons.
        source: the names that the message of the statement gives, to complete those of the statement; an empty name
            counts as missing.

    Returns: The combined effect of all statements; null without a text.
    """
    if not text:
        return None
    source = Name(*(name or None for name in source))
    read, is_single = _read(text)
    renamed = [Rename(_completed(one.old, source), _completed(one.new, source)) for one in read.renamed]
    return read._replace(emptied=_completed_tables(read.emptied, source, is_single), renamed=renamed)


def _completed(name: Name, source: Name) -> Name:
    """Complete a name of a statement by those of its message; the message's spelling of the case applies.

    A qualifier is a schema where the message has a schema, else a database.
    """
    has_schema = bool(source.schema_name or (name.database_name and name.schema_name))
    database = name.database_name or (None if has_schema else name.schema_name) or source.database_name
    schema = (name.schema_name or source.schema_name) if name.schema_name or name.table_name else None
    found = Name(database, schema if has_schema else None, name.table_name)
    pairs = zip(found, source, strict=True)
    return Name(*(known if one and known and one.lower() == known.lower() else one for one, known in pairs))


def _completed_tables(names: list[Name], source: Name, is_single: bool) -> list[Name]:
    """Complete the names of emptied tables; the table of the message comes first.

    The message contains the captured name of its table, so a single statement about a single table concerns that table.
    """
    found = [_completed(name, source) for name in names]
    if is_single and source.table_name is not None and all(name.table_name for name in found):
        found = [source, *found] if len(found) > 1 else [source] * len(found)
    return list(dict.fromkeys(found))


def _read(text: str | bytes) -> tuple[Ddl, bool]:
    """Read all statements of a text; also return whether it has a single one."""
    written = text if isinstance(text, str) else text.decode(errors="replace")
    # A backslash is an escape in MySQL and an ordinary character in Oracle.
    tokens, is_complete = _tokens(written, _WITH_ESCAPES)
    if not is_complete:
        tokens, is_complete = _tokens(written, _WITHOUT_ESCAPES)
    found = [_Statement(statement).read() for statement in _statements(tokens)]
    if not is_complete:
        return Ddl(found[0].kind if found else None, False, [], [], False), False
    kinds = [one.kind for one in sorted(found, key=lambda one: not one.emptied)]
    read = Ddl(
        kinds[0] if kinds else None,
        all(one.is_understood for one in found),
        [name for one in found for name in one.emptied],
        [rename for one in found for rename in one.renamed],
        any(one.changes_partitions for one in found),
    )
    return read, len(found) == 1


def _tokens(text: str, pattern: re.Pattern[str]) -> tuple[list[_Token], bool]:
    """Cut a text into tokens without comments and spaces; false if a quote or comment does not end."""
    tokens: list[_Token] = []
    for match in pattern.finditer(text):
        kind, found = match.lastgroup or "", match.group()
        if kind == "mark":
            if found in "'\"`" or (found == "/" and text.startswith("/*", match.start())):
                return tokens, False
            tokens.append(_Token("mark", found))
        elif kind == "word":
            tokens.append(_Token("word", found))
        elif kind in ("double", "backtick"):
            tokens.append(_Token("name", found[1:-1].replace(found[0] * 2, found[0])))
        elif kind == "bracket":
            tokens.append(_Token("name", found[1:-1].replace("]]", "]")))
        elif kind in ("text", "dollar", "tag"):
            tokens.append(_Token("text", ""))
    return tokens, True


def _statements(tokens: list[_Token]) -> Iterator[list[_Token]]:
    """Cut tokens at semicolons, except inside the body of a program."""
    statement: list[_Token] = []
    for token in tokens:
        if token == ("mark", ";") and not _has_body(statement):
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _has_body(statement: list[_Token]) -> bool:
    keywords = [token.keyword for token in statement[:16]]
    return keywords[:1] in (["BEGIN"], ["DECLARE"]) or (
        keywords[:1] in (["CREATE"], ["ALTER"]) and not _PROGRAMS.isdisjoint(keywords[: _end_of_header(keywords)])
    )


def _end_of_header(keywords: list[str]) -> int:
    """The latest start of the name of a created object: `create table event (..)` creates no event."""
    return next((place for place, word in enumerate(keywords) if word in ("TABLE", "VIEW", "INDEX", "(")), 16)


class _Statement:
    """A reader of one statement, with a single pass through its tokens."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._place = 0

    def read(self) -> Ddl:
        verb = self._next()
        if verb == "CREATE":
            if _has_body(self._tokens):
                # Options such as a DEFINER precede the kind of the program.
                while self._peek() not in _PROGRAMS:
                    self._next()
                return self._ddl("CREATE")
            is_replaced = self._take("OR") and self._take("REPLACE")
            return self._ddl("CREATE", emptied=self._tables() if is_replaced and self._take_table() else None)
        if verb == "ALTER":
            while self._peek() in _ALTER_OPTIONS:
                self._next()
            return self._alter() if self._peek() == "TABLE" else self._ddl("ALTER")
        if verb == "DROP":
            return self._drop()
        if verb == "TRUNCATE":
            return self._truncate()
        if verb == "RENAME":
            return self._rename()
        return self._ddl(verb, verb in _VERBS)

    def _ddl(self, verb: str, is_understood: bool = True, emptied: list[Name] | None = None) -> Ddl:
        second = self._peek() if emptied is None else "TABLE"
        words = [word for word in (verb, second) if word.isalpha()] if verb.isalpha() else []
        return Ddl(re.sub("_TABLES$", "_TABLE", "_".join(words)) or None, is_understood, emptied or [], [], False)

    def _drop(self) -> Ddl:
        level = self._peek()
        read = self._ddl("DROP")
        if level in ("TABLE", "TABLES"):
            self._next()
            names = self._tables()
            return read._replace(emptied=names, is_understood=bool(names) and self._is_at_end())
        if level in ("DATABASE", "SCHEMA"):
            self._next()
            names = self._tables()
            whole = [
                Name(one.table_name, None, None) if level == "DATABASE" else Name(one.schema_name, one.table_name, None)
                for one in names
            ]
            return read._replace(emptied=whole, is_understood=bool(names) and self._is_at_end())
        return read

    def _truncate(self) -> Ddl:
        read = Ddl("TRUNCATE_TABLE", True, [], [], False)
        if not self._take_table() and self._peek() in ("CLUSTER", "MATERIALIZED"):
            return read._replace(kind=f"TRUNCATE_{self._peek()}")
        names = self._tables()
        if {"PARTITION", "PARTITIONS"} & set(self._rest()):
            return read._replace(changes_partitions=True)
        return read._replace(emptied=names, is_understood=bool(names) and self._is_at_end())

    def _rename(self) -> Ddl:
        read = self._ddl("RENAME")
        if self._peek() in ("USER", "DATABASE", "SCHEMA", "INDEX"):
            return read._replace(is_understood=self._peek() == "USER")
        self._take_table()
        self._take_words("IF", "EXISTS")
        renamed = []
        while (old := self._name()) is not None:
            # MariaDB allows a WAIT clause here.
            while self._peek() in ("WAIT", "NOWAIT") or self._peek().isdigit():
                self._next()
            new = self._name() if self._take("TO") else None
            if new is None:
                break
            renamed.append(_renamed(old, new))
            if not self._take(","):
                return read._replace(kind="RENAME_TABLE", renamed=renamed, is_understood=not self._rest())
        return read._replace(renamed=renamed, is_understood=False)

    def _alter(self) -> Ddl:
        self._next()
        self._take_words("IF", "EXISTS")
        self._take("ONLY")
        read = Ddl("ALTER_TABLE", True, [], [], False)
        table = self._name()
        if table is None:
            return read._replace(is_understood=False)
        depth = 0
        previous = ""
        while self._peek():
            word = self._next()
            depth += (word == "(") - (word == ")")
            if depth == 0 and word in ("PARTITION", "SUBPARTITION") and previous in _ROWS_OF_PARTITIONS:
                read = read._replace(changes_partitions=True)
            if depth == 0 and word == "RENAME" and self._peek() not in _NO_TABLE_NAMES:
                _ = self._take("TO") or self._take("AS") or self._take("=")
                new = self._name()
                if new is None:
                    return read._replace(is_understood=False)
                read = read._replace(renamed=[*read.renamed, _renamed(table, new)])
            previous = word
        return read

    # ------------------------------------------------------------------------------------------------------- tokens

    def _peek(self) -> str:
        """Return the next keyword or mark; a blank for anything quoted, nothing at the end."""
        return (self._tokens[self._place].keyword or " ") if self._place < len(self._tokens) else ""

    def _next(self) -> str:
        word = self._peek()
        self._place += 1
        return word

    def _take(self, word: str) -> bool:
        is_next = self._peek() == word
        self._place += is_next
        return is_next

    def _take_words(self, *words: str) -> bool:
        found = [token.keyword for token in self._tokens[self._place : self._place + len(words)]] == list(words)
        self._place += len(words) * found
        return found

    def _take_table(self) -> bool:
        return self._take("TABLE") or self._take("TABLES")

    def _rest(self) -> list[str]:
        return [token.keyword for token in self._tokens[self._place :]]

    def _is_at_end(self) -> bool:
        return not self._peek() or self._peek() in _AFTER_NAMES

    def _tables(self) -> list[Name]:
        """Read names between commas; none if one of them cannot be read."""
        self._take_words("IF", "EXISTS")
        names = []
        while True:
            if len(self._tokens) > self._place + 1 and self._tokens[self._place + 1].keyword not in (",", "."):
                self._take("ONLY")
            name = self._name()
            if name is None:
                return []
            names.append(name)
            self._take("*")
            if not self._take(","):
                return names

    def _name(self) -> Name | None:
        parts: list[str] = []
        while self._place < len(self._tokens) and self._tokens[self._place].kind in ("word", "name"):
            parts.append(self._tokens[self._place].text)
            self._place += 1
            if not self._take("."):
                # In SQL Server a..b has an empty schema, which means the default one.
                database, schema, table = [None, None, *(part or None for part in parts)][-3:]
                return Name(database, schema, table)
            if self._peek() == ".":
                parts.append("")
                self._place += 1
        return None


def _renamed(old: Name, new: Name) -> Rename:
    """Complete the new name: without a qualifier the table keeps its database."""
    if new.schema_name is None:
        new = new._replace(database_name=old.database_name, schema_name=old.schema_name)
    return Rename(old, new)
