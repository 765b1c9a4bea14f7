package watershed.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Reads one JSON text strictly (RFC 8259). The reference is strict_json.py. Nothing is copied: values are spans of the
 * bytes, numbered in the order in which they begin, so all descendants of a value directly follow it. The name of a
 * member is numbered like a value, directly before the member.
 */
final class JsonReader {
    static final int MAX_DEPTH = 500;
    static final byte OBJECT = '{', ARRAY = '[', STRING = '"', NUMBER = '0', NULL = 'n';
    /** Flags of a value: it contains no spaces and no needless escapes; the members of all its objects are sorted. */
    private static final int LEAN = 1, SORTED = 2;
    private static final int FEW_VALUES = 1 << 8, KEPT_VALUES = 1 << 16;

    byte[] text;
    int[] from, to; // of strings without the quotes
    int[] next; // the value that follows this one and its descendants
    int repeated, repeating; // members that repeat a name, and the objects that contain them
    private byte[] kinds, flags;
    private int start, end, at, depth, size;

    JsonReader() {
        allocate(FEW_VALUES);
    }

    /** Read the text between two positions of the bytes. */
    void read(byte[] bytes, int first, int last) {
        text = bytes;
        start = at = first;
        end = last;
        size = depth = repeated = repeating = 0;
        try {
            skipSpaces();
            readValue();
            skipSpaces();
            if (at < end) throw malformed(at, "more text after the value");
        } catch (OutOfMemoryError tooLarge) {
            allocate(FEW_VALUES);
            throw new PayloadException("malformed_json", "too large to read");
        } catch (PayloadException failure) {
            checkEncoding();
            throw failure;
        }
    }

    /** Release memory after a text with many values, because each thread keeps its reader. */
    void release() {
        text = null;
        if (kinds.length > KEPT_VALUES) allocate(FEW_VALUES);
    }

    // ---------- the values

    byte kind(int value) {
        return kinds[value];
    }

    String kindName(int value) {
        switch (kinds[value]) {
            case OBJECT: return "object";
            case ARRAY: return "array";
            case STRING: return "string";
            case NUMBER: return "number";
            case NULL: return "null";
            default: return "boolean";
        }
    }

    /** Whether the bytes of a value equal those that JsonWriter would write. */
    boolean isWritten(int value, boolean keepsOrder) {
        int needed = keepsOrder ? LEAN : LEAN | SORTED;
        return (flags[value] & needed) == needed;
    }

    /** The bytes of a value as sent; a string includes its quotes. */
    UTF8String raw(int value) {
        int quote = kinds[value] == STRING ? 1 : 0;
        return UTF8String.fromBytes(text, from[value] - quote, to[value] - from[value] + 2 * quote);
    }

    /** The characters of a string. */
    UTF8String string(int value) {
        boolean isPlain = (flags[value] & LEAN) != 0;
        return isPlain ? UTF8String.fromBytes(text, from[value], to[value] - from[value])
                : UTF8String.fromBytes(unescaped(from[value], to[value]));
    }

    byte[] name(int member) {
        return string(member - 1).getBytes();
    }

    /** The member of an object with a name, the last one if there are several; -1 if there is none. */
    int member(int object, byte[] name) {
        int found = -1;
        for (int member = object + 2; member <= next[object]; member = next[member] + 1) {
            int first = from[member - 1], last = to[member - 1];
            boolean isSame = isWritten(member - 1, true) ? last - first == name.length
                    && Arrays.equals(text, first, last, name, 0, name.length) : Arrays.equals(name(member), name);
            if (isSame && repeated == 0) return member;
            if (isSame) found = member;
        }
        return found;
    }

    /** The items of an array, or the members of an object, in the order sent. */
    int[] children(int value) {
        int name = kinds[value] == OBJECT ? 1 : 0, count = 0;
        for (int child = value + 1; child < next[value]; child = next[child + name]) count++;
        int[] children = new int[count];
        count = 0;
        for (int child = value + 1; child < next[value]; child = next[child + name]) children[count++] = child + name;
        return children;
    }

    /** The members of an object sorted by name, by code point, which is the byte order of UTF-8. */
    int[] sortedChildren(int object) {
        int[] children = children(object);
        sort(children, new int[children.length], 0, children.length);
        return children;
    }

    private void sort(int[] values, int[] spare, int low, int high) {
        if (high - low < 2) return;
        int middle = (low + high) >>> 1;
        sort(values, spare, low, middle);
        sort(values, spare, middle, high);
        if (compareNames(values[middle - 1], values[middle]) <= 0) return;
        System.arraycopy(values, low, spare, low, high - low);
        int left = low, right = middle;
        for (int i = low; i < high; i++) {
            boolean isLeft = left < middle && (right == high || compareNames(spare[left], spare[right]) <= 0);
            values[i] = isLeft ? spare[left++] : spare[right++];
        }
    }

    private int compareNames(int one, int other) {
        if (isWritten(one - 1, true) && isWritten(other - 1, true)) {
            return Arrays.compareUnsigned(text, from[one - 1], to[one - 1], text, from[other - 1], to[other - 1]);
        }
        return Arrays.compareUnsigned(name(one), name(other));
    }

    // ---------- reading

    private void readValue() {
        int value = size++;
        if (value == kinds.length) allocate(2 * value);
        int first = at < end ? (int) text[at] : -1;
        int found = LEAN | SORTED;
        kinds[value] = (byte) first;
        from[value] = at;
        if (first == '{' || first == '[') {
            found = readContainer(value);
        } else if (first == '"') {
            from[value] = at + 1;
            if (readString()) found = SORTED;
        } else if (first == '-' || isDigit(first)) {
            kinds[value] = NUMBER;
            readNumber();
            if (first == '-' && at - from[value] == 2 && text[at - 1] == '0') found = SORTED;
        } else {
            String word = first == 't' ? "true" : first == 'f' ? "false" : first == 'n' ? "null" : "";
            if (word.isEmpty() || !isWord(word)) throw malformed(at, "a value expected");
            at += word.length();
        }
        to[value] = first == '"' ? at - 1 : at;
        flags[value] = (byte) found;
        next[value] = size;
    }

    /** Read an object or an array; return its flags. */
    private int readContainer(int value) {
        if (++depth > MAX_DEPTH) throw malformed(at, "nested deeper than " + MAX_DEPTH);
        boolean isObject = kinds[value] == OBJECT, isInOrder = true;
        int close = isObject ? '}' : ']', found = LEAN | SORTED, last = -1;
        at++;
        if (skipSpaces()) found &= ~LEAN;
        boolean isEmpty = at < end && text[at] == close;
        while (!isEmpty) {
            if (isObject) {
                if (at == end || text[at] != '"') throw malformed(at, "a name expected");
                readValue();
                found &= flags[size - 1];
                if (skipSpaces()) found &= ~LEAN;
                if (at == end || text[at] != ':') throw malformed(at, "a colon expected");
                at++;
                if (skipSpaces()) found &= ~LEAN;
            }
            int child = size;
            readValue();
            found &= flags[child];
            if (isObject && last >= 0 && isInOrder) isInOrder = compareNames(last, child) < 0;
            last = child;
            if (skipSpaces()) found &= ~LEAN;
            if (at == end || text[at] != ',' && text[at] != close) throw malformed(at, "a comma or an end expected");
            if (text[at] == close) break;
            at++;
            if (skipSpaces()) found &= ~LEAN;
        }
        at++;
        depth--;
        next[value] = size;
        if (isInOrder) return found;
        int[] members = sortedChildren(value);
        int before = repeated;
        for (int i = 1; i < members.length; i++) if (compareNames(members[i - 1], members[i]) == 0) repeated++;
        if (repeated > before) repeating++;
        return found & ~SORTED;
    }

    /** Read the string that begins here; return whether it contains escapes. */
    private boolean readString() {
        int begin = at;
        boolean hasEscapes = false;
        int i = at + 1;
        while (i < end && text[i] != '"') {
            byte one = text[i];
            if (one == '\\') {
                hasEscapes = true;
                i = endOfEscape(begin, i);
            } else if (one >= ' ') {
                i++;
            } else if (one < 0) {
                i = endOfCharacter(i);
            } else {
                throw malformed(i, "a control character in a string");
            }
        }
        if (i >= end) throw malformed(begin, "a string without an end");
        at = i + 1;
        return hasEscapes;
    }

    /** The end of an escape; a surrogate pair is one escape. */
    private int endOfEscape(int begin, int i) {
        if (i + 1 == end) throw malformed(begin, "a string without an end");
        if (text[i + 1] != 'u') {
            if ("\"\\/bfnrt".indexOf(text[i + 1]) < 0) throw malformed(i, "no such escape");
            return i + 2;
        }
        int unit = unit(i);
        if (unit < 0) throw malformed(i, "four hexadecimal digits expected");
        if (unit < 0xD800 || unit > 0xDFFF) return i + 6;
        int low = unit < 0xDC00 && i + 7 < end && text[i + 6] == '\\' && text[i + 7] == 'u' ? unit(i + 6) : -1;
        if (low < 0xDC00 || low > 0xDFFF) throw malformed(i, "an escape of half a surrogate pair");
        return i + 12;
    }

    /** The code unit of an escape; -1 if digits are missing. */
    private int unit(int i) {
        if (i + 6 > end) return -1;
        int unit = 0;
        for (int j = i + 2; j < i + 6; j++) {
            int digit = text[j] < 0 ? -1 : Character.digit((char) text[j], 16);
            if (digit < 0) return -1;
            unit = unit << 4 | digit;
        }
        return unit;
    }

    /** The end of a character of several bytes (RFC 3629); `checkEncoding` reports invalid ones. */
    private int endOfCharacter(int i) {
        int first = text[i] & 0xFF, second = i + 1 < end ? text[i + 1] & 0xFF : 0;
        int length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
        int least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        boolean isRight = length > 0 && i + length <= end && second >= least && second <= most;
        for (int j = 2; j < length && isRight; j++) isRight = (text[i + j] & 0xC0) == 0x80;
        if (!isRight) throw malformed(i, "no UTF-8");
        return i + length;
    }

    private void readNumber() {
        if (text[at] == '-') at++;
        if (at < end && text[at] == '0') at++;
        else readDigits();
        if (at < end && text[at] == '.') {
            at++;
            readDigits();
        }
        if (at < end && (text[at] == 'e' || text[at] == 'E')) {
            at++;
            if (at < end && (text[at] == '+' || text[at] == '-')) at++;
            readDigits();
        }
    }

    private void readDigits() {
        if (at == end || !isDigit(text[at])) throw malformed(at, "a digit expected");
        while (at < end && isDigit(text[at])) at++;
    }

    private static boolean isDigit(int one) {
        return one >= '0' && one <= '9';
    }

    private boolean isWord(String word) {
        if (at + word.length() > end) return false;
        for (int i = 0; i < word.length(); i++) if (text[at + i] != word.charAt(i)) return false;
        return true;
    }

    /** Skip white space; return whether there was any. */
    private boolean skipSpaces() {
        int before = at;
        while (at < end && isSpace(text[at])) at++;
        return at != before;
    }

    static boolean isSpace(byte one) {
        return one == ' ' || one == '\n' || one == '\r' || one == '\t';
    }

    private PayloadException malformed(int place, String what) {
        return new PayloadException("malformed_json", "byte " + (place - start) + " of " + (end - start) + ": " + what);
    }

    /** Invalid UTF-8 is reported with precedence over all other errors. */
    private void checkEncoding() {
        ByteBuffer bytes = ByteBuffer.wrap(text, start, end - start);
        try {
            StandardCharsets.UTF_8.newDecoder().decode(bytes);
        } catch (CharacterCodingException wrong) {
            String place = "byte " + (bytes.position() - start) + " of " + (end - start);
            throw new PayloadException("invalid_utf8", place);
        }
    }

    /** The characters between two positions of a string that was read, as UTF-8. */
    private byte[] unescaped(int first, int last) {
        byte[] found = new byte[last - first];
        int n = 0;
        int i = first;
        while (i < last) {
            if (text[i] != '\\') {
                found[n++] = text[i++];
            } else if (text[i + 1] != 'u') {
                found[n++] = (byte) "\"\\/\b\f\n\r\t".charAt("\"\\/bfnrt".indexOf(text[i + 1]));
                i += 2;
            } else {
                int point = unit(i);
                i += 6;
                if (Character.isHighSurrogate((char) point)) {
                    point = Character.toCodePoint((char) point, (char) unit(i));
                    i += 6;
                }
                byte[] character = new String(Character.toChars(point)).getBytes(StandardCharsets.UTF_8);
                System.arraycopy(character, 0, found, n, character.length);
                n += character.length;
            }
        }
        return Arrays.copyOf(found, n);
    }

    private void allocate(int count) {
        boolean isNew = count == FEW_VALUES;
        kinds = isNew ? new byte[count] : Arrays.copyOf(kinds, count);
        flags = isNew ? new byte[count] : Arrays.copyOf(flags, count);
        from = isNew ? new int[count] : Arrays.copyOf(from, count);
        to = isNew ? new int[count] : Arrays.copyOf(to, count);
        next = isNew ? new int[count] : Arrays.copyOf(next, count);
    }
}
