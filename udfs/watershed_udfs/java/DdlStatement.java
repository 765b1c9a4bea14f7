package watershed.json;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.unsafe.types.UTF8String;

/** Parses the statements of a DDL text, token by token. The reference, with all comments, is ddl_statement.py. */
final class DdlStatement {
    private static final Set VERBS = words("ALTER ANALYZE AUDIT CHECK COMMENT COMMIT CREATE DROP FLASHBACK FLUSH GRANT "
            + "INSTALL LOCK NOAUDIT OPTIMIZE PURGE RECOVER REINDEX RENAME REPAIR REVOKE ROLLBACK SET TRUNCATE UNDROP "
            + "UNINSTALL UNLOCK USE VACUUM");
    private static final Set PROGRAMS = words("EVENT FUNCTION PACKAGE PROCEDURE TRIGGER TYPE");
    private static final Set ENDS_OF_HEADER = words("TABLE VIEW INDEX (");
    private static final Set ALTER_OPTIONS = words("IGNORE OFFLINE ONLINE");
    private static final Set AFTER_NAMES =
            words("AS CASCADE CONTINUE DROP NOWAIT ON PRESERVE PURGE RESTART RESTRICT REUSE SETTINGS SYNC WAIT WITH");
    private static final Set ROWS_OF_PARTITIONS = words("DETACH DISCARD DROP EXCHANGE TRUNCATE");
    private static final Set NO_TABLE_NAMES = words("COLUMN CONSTRAINT INDEX KEY PARTITION SUBPARTITION");
    private static final String PATTERN = "([\\s\\x1c-\\x1f\\x85\\p{Z}]+|--[^\n]*|#[^\n]*|/\\*M?![0-9]*|\\*/"
            + "|/\\*(?:[^*]|\\*(?!/))*+\\*/)"
            + "|(\\$(?<tag>[A-Za-z_]*)\\$.*?\\$\\k<tag>\\$|[NnEeXxBb]?'(?:[^'ESCAPE]ALSO|'')*+')"
            + "|(?<name>\"(?:[^\"ESCAPE]ALSO|\"\")*+\"|`(?:[^`]|``)*+`|\\[(?:[^\\[\\]]|\\]\\])++\\])"
            + "|(?<word>[\\p{L}\\p{N}_$@](?:[\\p{L}\\p{N}_$@]|#(?=[\\p{L}\\p{N}_]))*+)|(?<mark>.)";
    private static final Pattern WITH_ESCAPES = pattern("\\\\", "|\\\\."), WITHOUT_ESCAPES = pattern("", "");

    private String kind;
    private boolean isUnderstood = true, changesPartitions;
    private List emptied = new ArrayList(); // names: database, schema and table
    private final List renamed = new ArrayList(); // pairs of names, old and new
    private final List texts, keywords;
    private int place;

    private DdlStatement(List texts, List keywords) {
        this.texts = texts;
        this.keywords = keywords;
        read();
    }

    /** The combined effect of all statements of a text, with names completed from the message. */
    static InternalRow read(String text, String[] source) {
        List found = new ArrayList();
        boolean isComplete = read(text, WITH_ESCAPES, found) || read(text, WITHOUT_ESCAPES, found);
        List emptied = new ArrayList(), renamed = new ArrayList();
        String kind = found.isEmpty() ? null : ((DdlStatement) found.get(0)).kind;
        boolean isUnderstood = isComplete, changesPartitions = false;
        for (int i = 0; i < found.size() && isComplete; i++) {
            DdlStatement one = (DdlStatement) found.get(i);
            if (emptied.isEmpty() && !one.emptied.isEmpty()) kind = one.kind;
            isUnderstood &= one.isUnderstood;
            changesPartitions |= one.changesPartitions;
            emptied.addAll(one.emptied);
            for (int j = 0; j < one.renamed.size(); j++) {
                String[][] pair = (String[][]) one.renamed.get(j);
                renamed.add(row(new Object[] {row(completed(pair[0], source)), row(completed(pair[1], source))}));
            }
        }
        Object[] tables = completedTables(emptied, source, found.size() == 1);
        GenericArrayData pairs = new GenericArrayData(renamed.toArray());
        return row(new Object[] {UTF8String.fromString(kind), Boolean.valueOf(isUnderstood),
            new GenericArrayData(tables), pairs, Boolean.valueOf(changesPartitions)});
    }

    /** The completed names without duplicates; a single statement with one table applies to that of its message. */
    private static Object[] completedTables(List names, String[] source, boolean isSingle) {
        boolean areTables = isSingle && source[2] != null;
        Set found = new LinkedHashSet();
        for (int i = 0; i < names.size(); i++) areTables &= ((String[]) names.get(i))[2] != null;
        if (areTables && !names.isEmpty()) found.add(row(source));
        for (int i = 0; i < names.size() && !(areTables && names.size() == 1); i++) {
            found.add(row(completed((String[]) names.get(i), source)));
        }
        return found.toArray();
    }

    /** A qualifier is a schema if the message has a schema, else a database. Names are spelled as in the message. */
    private static String[] completed(String[] name, String[] source) {
        boolean hasSchema = !isEmpty(source[1]) || !isEmpty(name[0]) && !isEmpty(name[1]);
        String database = or(or(name[0], hasSchema ? null : name[1]), source[0]);
        String schema = hasSchema && !(isEmpty(name[1]) && isEmpty(name[2])) ? or(name[1], source[1]) : null;
        String[] found = {database, schema, name[2]};
        for (int i = 0; i < 3; i++) {
            boolean isKnown = !isEmpty(found[i]) && !isEmpty(source[i])
                    && found[i].toLowerCase(Locale.ROOT).equals(source[i].toLowerCase(Locale.ROOT));
            if (isKnown) found[i] = source[i];
        }
        return found;
    }

    private static boolean isEmpty(String name) {
        return name == null || name.isEmpty();
    }

    private static String or(String one, String other) {
        return isEmpty(one) ? other : one;
    }

    private static InternalRow row(Object[] values) {
        Object[] internal = new Object[values.length];
        for (int i = 0; i < values.length; i++) {
            internal[i] = values[i] instanceof String ? UTF8String.fromString((String) values[i]) : values[i];
        }
        return new GenericInternalRow(internal);
    }

    /** Read a text, with or without backslash escapes (as in MySQL); return whether quotes and comments are closed. */
    private static boolean read(String text, Pattern pattern, List found) {
        found.clear();
        List texts = new ArrayList(), keywords = new ArrayList();
        boolean isComplete = true;
        Matcher matcher = pattern.matcher(text);
        while (isComplete && matcher.find()) {
            String token = matcher.group();
            String keyword = "";
            if (matcher.group("mark") != null) {
                isComplete = "'\"`".indexOf(token) < 0 && !text.startsWith("/*", matcher.start());
                keyword = token;
            } else if (matcher.group("word") != null) {
                keyword = token.toUpperCase(Locale.ROOT);
            } else if (matcher.group("name") != null) {
                String quote = token.substring(token.length() - 1);
                token = token.substring(1, token.length() - 1).replace(quote + quote, quote);
            } else if (matcher.group(1) != null) {
                continue;
            } else {
                token = null; // a literal
            }
            if (!isComplete) break;
            if (keyword.equals(";") && !hasBody(keywords)) {
                if (!texts.isEmpty()) found.add(new DdlStatement(texts, keywords));
                texts = new ArrayList();
                keywords = new ArrayList();
            } else {
                texts.add(token);
                keywords.add(keyword);
            }
        }
        if (!texts.isEmpty()) found.add(new DdlStatement(texts, keywords));
        return isComplete;
    }

    private static boolean hasBody(List keywords) {
        String verb = keywords.isEmpty() ? "" : (String) keywords.get(0);
        if (verb.equals("BEGIN") || verb.equals("DECLARE")) return true;
        if (!verb.equals("CREATE") && !verb.equals("ALTER")) return false;
        for (int i = 0; i < Math.min(16, keywords.size()) && !ENDS_OF_HEADER.contains(keywords.get(i)); i++) {
            if (PROGRAMS.contains(keywords.get(i))) return true;
        }
        return false;
    }

    private void read() {
        String verb = next();
        if (verb.equals("CREATE")) {
            boolean hasBody = hasBody(keywords);
            while (hasBody && !PROGRAMS.contains(peek())) next();
            if (!hasBody && take("OR") && take("REPLACE") && takeTable()) {
                emptied = tables();
                kind = "CREATE_TABLE";
            } else {
                setKind(verb);
            }
        } else if (verb.equals("ALTER")) {
            while (ALTER_OPTIONS.contains(peek())) next();
            if (peek().equals("TABLE")) alter();
            else setKind(verb);
        } else if (verb.equals("DROP")) {
            setKind(verb);
            drop(peek());
        } else if (verb.equals("TRUNCATE")) {
            truncate();
        } else if (verb.equals("RENAME")) {
            setKind(verb);
            rename();
        } else {
            isUnderstood = VERBS.contains(verb);
            setKind(verb);
        }
    }

    private void setKind(String verb) {
        String words = isAlphabetic(verb) ? verb + (isAlphabetic(peek()) ? "_" + peek() : "") : "";
        kind = words.isEmpty() ? null : words.replaceFirst("_TABLES$", "_TABLE");
    }

    private static boolean isAlphabetic(String word) {
        return word.matches("\\p{L}+");
    }

    private void drop(String level) {
        boolean isDatabase = level.equals("DATABASE");
        if (!level.startsWith("TABLE") && !isDatabase && !level.equals("SCHEMA")) return;
        if (level.startsWith("TABLE") && !level.equals("TABLE") && !level.equals("TABLES")) return;
        next();
        emptied = tables();
        isUnderstood = !emptied.isEmpty() && isAtEnd();
        for (int i = 0; i < emptied.size() && !level.startsWith("TABLE"); i++) {
            String[] name = (String[]) emptied.get(i);
            emptied.set(i, isDatabase ? new String[] {name[2], null, null} : new String[] {name[1], name[2], null});
        }
    }

    private void truncate() {
        kind = "TRUNCATE_TABLE";
        if (!takeTable() && (peek().equals("CLUSTER") || peek().equals("MATERIALIZED"))) {
            kind = "TRUNCATE_" + peek();
            return;
        }
        List names = tables();
        List rest = keywords.subList(Math.min(place, keywords.size()), keywords.size());
        changesPartitions = rest.contains("PARTITION") || rest.contains("PARTITIONS");
        if (changesPartitions) return;
        emptied = names;
        isUnderstood = !names.isEmpty() && isAtEnd();
    }

    private void rename() {
        if (Arrays.asList(new String[] {"USER", "DATABASE", "SCHEMA", "INDEX"}).contains(peek())) {
            isUnderstood = peek().equals("USER");
            return;
        }
        takeTable();
        takeBoth("IF", "EXISTS");
        isUnderstood = false;
        for (String[] old = name(); old != null; old = name()) {
            while (peek().equals("WAIT") || peek().equals("NOWAIT") || peek().matches("\\p{Nd}+")) next();
            String[] renamedTo = take("TO") ? name() : null;
            if (renamedTo == null) return;
            addRenamed(old, renamedTo);
            if (!take(",")) {
                kind = "RENAME_TABLE";
                isUnderstood = place >= keywords.size();
                return;
            }
        }
    }

    private void alter() {
        kind = "ALTER_TABLE";
        next();
        takeBoth("IF", "EXISTS");
        take("ONLY");
        String[] table = name();
        isUnderstood = table != null;
        int depth = 0;
        String previous = "";
        while (isUnderstood && !peek().isEmpty()) {
            String word = next();
            depth += word.equals("(") ? 1 : word.equals(")") ? -1 : 0;
            boolean isPartition = word.equals("PARTITION") || word.equals("SUBPARTITION");
            if (depth == 0 && isPartition && ROWS_OF_PARTITIONS.contains(previous)) changesPartitions = true;
            if (depth == 0 && word.equals("RENAME") && !NO_TABLE_NAMES.contains(peek())) {
                if (!take("TO") && !take("AS")) take("=");
                String[] renamedTo = name();
                isUnderstood = renamedTo != null;
                if (isUnderstood) addRenamed(table, renamedTo);
            }
            previous = word;
        }
    }

    /** A new name without a qualifier stays in the same database and schema. */
    private void addRenamed(String[] old, String[] renamedTo) {
        boolean isQualified = renamedTo[1] != null;
        renamed.add(new String[][] {old, isQualified ? renamedTo : new String[] {old[0], old[1], renamedTo[2]}});
    }

    // ---------- tokens

    /** The next keyword or punctuation mark; a blank for anything quoted, an empty text at the end. */
    private String peek() {
        if (place >= keywords.size()) return "";
        String keyword = (String) keywords.get(place);
        return keyword.isEmpty() ? " " : keyword;
    }

    private String next() {
        String word = peek();
        place++;
        return word;
    }

    private boolean take(String word) {
        if (!peek().equals(word)) return false;
        place++;
        return true;
    }

    private void takeBoth(String first, String second) {
        if (place + 1 < keywords.size() && peek().equals(first) && keywords.get(place + 1).equals(second)) place += 2;
    }

    private boolean takeTable() {
        return take("TABLE") || take("TABLES");
    }

    private boolean isAtEnd() {
        return peek().isEmpty() || AFTER_NAMES.contains(peek());
    }

    /** The names between commas; none if one of them cannot be read. */
    private List tables() {
        takeBoth("IF", "EXISTS");
        List names = new ArrayList();
        do {
            Object following = place + 1 < keywords.size() ? keywords.get(place + 1) : ",";
            if (!following.equals(",") && !following.equals(".")) take("ONLY");
            String[] name = name();
            if (name == null) return new ArrayList();
            names.add(name);
            take("*");
        } while (take(","));
        return names;
    }

    private String[] name() {
        List parts = new ArrayList();
        while (place < texts.size() && texts.get(place) != null && !isMark(place)) {
            parts.add(texts.get(place++));
            if (!take(".")) {
                String[] name = new String[3];
                for (int i = 0; i < 3 && i < parts.size(); i++) {
                    String part = (String) parts.get(parts.size() - 1 - i);
                    name[2 - i] = part.isEmpty() ? null : part;
                }
                return name;
            }
            if (take(".")) parts.add("");
        }
        return null;
    }

    private boolean isMark(int token) {
        String keyword = (String) keywords.get(token);
        return !keyword.isEmpty() && !keyword.matches("[\\p{L}\\p{N}_$@].*");
    }

    private static Set words(String text) {
        return new HashSet(Arrays.asList(text.split(" ")));
    }

    private static Pattern pattern(String escape, String also) {
        return Pattern.compile(PATTERN.replace("ESCAPE", escape).replace("ALSO", also), Pattern.DOTALL);
    }
}
