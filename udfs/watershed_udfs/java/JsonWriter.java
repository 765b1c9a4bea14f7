package watershed.json;

import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Writes values of a reader as canonical JSON text: members sorted by code point, no spaces, as few escapes
 * as possible, number literals as sent (only -0 becomes 0). A value that is already canonical is used without a copy.
 */
final class JsonWriter {
    private static final int KEPT_BYTES = 1 << 20;
    private static final String ESCAPED = "\b\t\n\f\r\"\\", ESCAPES = "btnfr\"\\", HEX = "0123456789abcdef";

    private final JsonReader json;
    private byte[] out = new byte[1024];
    private int size;

    JsonWriter(JsonReader json) {
        this.json = json;
    }

    UTF8String text(int value, boolean keepsOrder) {
        if (json.isWritten(value, keepsOrder)) return json.raw(value);
        write(value, keepsOrder);
        return result();
    }

    /** An object without the members with given names. */
    UTF8String textWithout(int object, byte[][] names, boolean keepsOrder) {
        int[] members = keepsOrder ? json.children(object) : json.sortedChildren(object);
        for (int i = 0; i < members.length; i++) {
            byte[] name = json.name(members[i]);
            boolean isKept = true;
            for (int j = 0; j < names.length; j++) isKept &= !Arrays.equals(name, names[j]);
            if (!isKept) continue;
            writeName(name);
            write(members[i], keepsOrder);
        }
        return endOfObject();
    }

    void write(int value, boolean keepsOrder) {
        int kind = json.kind(value);
        if (json.isWritten(value, keepsOrder)) {
            write(json.raw(value));
        } else if (kind == JsonReader.STRING) {
            writeString(json.string(value).getBytes());
        } else if (kind == JsonReader.NUMBER) {
            put('0');
        } else {
            boolean isObject = kind == JsonReader.OBJECT;
            int[] children = isObject && !keepsOrder ? json.sortedChildren(value) : json.children(value);
            put(isObject ? '{' : '[');
            for (int i = 0; i < children.length; i++) {
                if (i > 0) put(',');
                if (isObject) {
                    writeString(json.name(children[i]));
                    put(':');
                }
                write(children[i], keepsOrder);
            }
            put(isObject ? '}' : ']');
        }
    }

    /** Begin the next member of the object that `endOfObject` returns. */
    void writeName(byte[] name) {
        put(size == 0 ? '{' : ',');
        writeString(name);
        put(':');
    }

    UTF8String endOfObject() {
        if (size == 0) put('{');
        put('}');
        return result();
    }

    /** An array of texts. */
    UTF8String list(Collection texts) {
        put('[');
        for (Iterator each = texts.iterator(); each.hasNext();) {
            if (size > 1) put(',');
            writeString(((UTF8String) each.next()).getBytes());
        }
        put(']');
        return result();
    }

    void write(UTF8String text) {
        int more = text.numBytes();
        if (size + more > out.length) out = Arrays.copyOf(out, Math.max(2 * out.length, size + more));
        text.writeToMemory(out, Platform.BYTE_ARRAY_OFFSET + size);
        size += more;
    }

    void writeString(byte[] characters) {
        put('"');
        for (int i = 0; i < characters.length; i++) {
            byte one = characters[i];
            if (one < 0 || one >= ' ' && one != '"' && one != '\\') {
                put(one);
                continue;
            }
            put('\\');
            int known = ESCAPED.indexOf(one);
            if (known >= 0) {
                put(ESCAPES.charAt(known));
            } else {
                put('u');
                put('0');
                put('0');
                put(HEX.charAt(one >> 4));
                put(HEX.charAt(one & 15));
            }
        }
        put('"');
    }

    void forget() {
        size = 0;
    }

    private void put(int one) {
        if (size == out.length) out = Arrays.copyOf(out, 2 * size);
        out[size++] = (byte) one;
    }

    private UTF8String result() {
        UTF8String text = UTF8String.fromBytes(Arrays.copyOf(out, size));
        size = 0;
        if (out.length > KEPT_BYTES) out = new byte[1024];
        return text;
    }
}
