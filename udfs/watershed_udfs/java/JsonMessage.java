package watershed.json;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.unsafe.types.UTF8String;

/** Opens messages: JSON, or strict Base64 of JSON (RFC 4648), as bytes. The reference is json_message.py. */
final class JsonMessage {
    static final int MAX_VALUE_BYTES = 32 * 1024 * 1024;
    private static final byte[] MARK = "\u00FFvalue_too_large:".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] NAME = "name".getBytes(StandardCharsets.UTF_8);
    private static final byte[] TYPE = "type".getBytes(StandardCharsets.UTF_8);

    private final JsonReader json;
    private final JsonWriter writer;

    JsonMessage(JsonReader json, JsonWriter writer) {
        this.json = json;
        this.writer = writer;
    }

    /** The texts of the requested members, in order; null if the member, or a step to it, is null or missing. */
    Object[] open(byte[] value, MemberSpec spec) {
        byte[] text = value == null ? new byte[0] : value;
        int first = start(text), last = end(text, first);
        if (first == last) {
            String size = text.length == 0 ? "no bytes" : text.length + " bytes of white space";
            throw new PayloadException("empty_value", size);
        }
        if (last - first > MAX_VALUE_BYTES || text[first] == MARK[0]) checkSize(text);
        if (isBase64(text[first]) && !isBareScalar(text, first, last)) {
            text = decode(Arrays.copyOfRange(text, first, last));
            first = start(text);
            last = end(text, first);
            if (first == last) throw new PayloadException("empty_value", "Base64 of nothing or of white space");
        }
        json.read(text, first, last);
        if (json.repeated > 0) {
            String detail = json.repeated + " member(s) repeated in " + json.repeating + " object(s)";
            throw new PayloadException("duplicate_member", detail);
        }
        if (json.kind(0) != JsonReader.OBJECT) throw mismatch("message", "object", 0);
        return texts(spec);
    }

    private static int start(byte[] text) {
        int first = 0;
        while (first < text.length && JsonReader.isSpace(text[first])) first++;
        return first;
    }

    private static int end(byte[] text, int first) {
        int last = text.length;
        while (last > first && JsonReader.isSpace(text[last - 1])) last--;
        return last;
    }

    /** Staging replaces a value that is too large by a marker with its size (macros/event/landed_messages.sql). */
    private static void checkSize(byte[] value) {
        String size = String.valueOf(value.length);
        if (value.length >= MARK.length && Arrays.equals(value, 0, MARK.length, MARK, 0, MARK.length)) {
            size = new String(value, MARK.length, value.length - MARK.length, StandardCharsets.ISO_8859_1);
            if (!size.matches("[0-9]{1,10}")) return;
        } else if (value.length <= MAX_VALUE_BYTES) {
            return;
        }
        throw new PayloadException("value_too_large", size + " bytes; no more than " + MAX_VALUE_BYTES + " are opened");
    }

    // ---------- Base64

    private static boolean isBase64(byte one) {
        return one >= 'A' && one <= 'Z' || one >= 'a' && one <= 'z' || one >= '0' && one <= '9' || one == '+' || one == '/';
    }

    /** Whether a text of Base64 characters is a JSON scalar: Base64 of an object begins differently. */
    private boolean isBareScalar(byte[] text, int first, int last) {
        if ("tfn0123456789".indexOf(text[first]) < 0) return false;
        try {
            json.read(text, first, last);
            return true;
        } catch (PayloadException other) {
            return false;
        }
    }

    /** CSV is malformed JSON: it has other characters, and does not begin like Base64 of an object. */
    private static byte[] decode(byte[] text) {
        try {
            return decodeBase64(text);
        } catch (PayloadException failure) {
            int foreign = 0;
            while (foreign < text.length && (isBase64(text[foreign]) || isPadding(text[foreign]))) foreign++;
            if (foreign == text.length || isStartOfObject(Arrays.copyOf(text, Math.min(4, text.length)))) throw failure;
            String place = "character " + foreign + " of " + text.length;
            throw new PayloadException("malformed_json", "neither JSON nor Base64: " + place);
        }
    }

    private static boolean isPadding(byte one) {
        return one == '=' || isWhiteSpace(one);
    }

    private static boolean isWhiteSpace(byte one) {
        return one == ' ' || one >= '\t' && one <= '\r';
    }

    private static boolean isStartOfObject(byte[] group) {
        try {
            String text = new String(decodeBase64(group), StandardCharsets.ISO_8859_1);
            return text.matches("(?s)[ \t\n\r]+|[ \t\n\r]*\\{[ \t\n\r]*([\"}].*)?");
        } catch (PayloadException other) {
            return false;
        }
    }

    private static byte[] decodeBase64(byte[] text) {
        byte[] packed = new byte[text.length];
        int n = 0;
        for (int i = 0; i < text.length; i++) if (!isWhiteSpace(text[i])) packed[n++] = text[i];
        if (n % 4 != 0) throw new PayloadException("invalid_base64", n + " characters are not a multiple of 4");
        packed = Arrays.copyOf(packed, n);
        byte[] decoded = null;
        try {
            decoded = Base64.getDecoder().decode(packed);
        } catch (IllegalArgumentException wrong) {
            // The test below fails.
        }
        if (decoded == null || !Arrays.equals(Base64.getEncoder().encode(decoded), packed)) {
            String problem = " characters: a foreign one, wrong padding, or unused bits set";
            throw new PayloadException("invalid_base64", n + problem);
        }
        return decoded;
    }

    // ---------- the requested members

    private Object[] texts(MemberSpec spec) {
        Object[] texts = new Object[spec.size];
        int[] objects = new int[spec.steps.length + 1];
        for (int i = 0; i < spec.steps.length; i++) {
            MemberSpec.Member step = spec.steps[i];
            int found = find(objects[step.parent], step.name);
            if (found >= 0 && json.kind(found) != JsonReader.OBJECT) throw mismatch(step.path, "object", found);
            objects[i + 1] = found;
        }
        for (int i = 0; i < spec.wanted.length; i++) {
            MemberSpec.Member member = spec.wanted[i];
            int found = find(objects[member.parent], member.name);
            if (found >= 0) texts[member.place] = text(found, member);
        }
        for (int i = 0; i < spec.keys.length; i++) {
            MemberSpec.Member key = spec.keys[i];
            int columns = find(objects[key.parent], key.name);
            int names = find(objects[key.namesParent], key.namesName);
            if (columns >= 0 && json.kind(columns) == JsonReader.OBJECT && names >= 0) {
                texts[key.place] = key(columns, names);
            }
        }
        for (int i = 0; i < spec.whole.length; i++) texts[spec.whole[i].place] = text(0, spec.whole[i]);
        return texts;
    }

    /** The number of a member of an object; -1 if the member is missing or null, or the object is missing. */
    private int find(int object, byte[] name) {
        int found = object < 0 ? -1 : json.member(object, name);
        return found >= 0 && json.kind(found) == JsonReader.NULL ? -1 : found;
    }

    private UTF8String text(int value, MemberSpec.Member member) {
        byte kind = json.kind(value);
        boolean isContainer = kind == JsonReader.OBJECT || kind == JsonReader.ARRAY;
        switch (member.kind) {
            case "any":
                return writer.text(value, member.keepsOrder);
            case "object":
                if (kind != JsonReader.OBJECT) throw mismatch(member.path, member.kind, value);
                return member.without == null ? writer.text(value, member.keepsOrder)
                        : writer.textWithout(value, member.without, member.keepsOrder);
            case "types":
                return types(value);
            case "text":
            case "ddl_meta":
                if (isContainer) throw mismatch(member.path, member.kind, value);
                UTF8String text = kind == JsonReader.STRING ? json.string(value) : writer.text(value, false);
                return member.kind.equals("text") ? text : DdlMeta.read(text.getBytes());
            default:
                if (kind != JsonReader.ARRAY) throw mismatch(member.path, member.kind, value);
                if (member.kind.equals("names")) checkNames(value, member.path);
                return writer.text(value, false);
        }
    }

    private void checkNames(int array, String path) {
        for (int item = array + 1; item < json.next[array]; item = json.next[item]) {
            if (json.kind(item) == JsonReader.STRING) continue;
            String detail = path + ": expected names, found array with " + json.kindName(item);
            throw new PayloadException("unexpected_type", detail);
        }
    }

    private PayloadException mismatch(String path, String expected, int value) {
        String where = path.isEmpty() ? "message" : path;
        String detail = where + ": expected " + expected + ", found " + json.kindName(value);
        return new PayloadException("unexpected_type", detail);
    }

    private UTF8String key(int columns, int names) {
        if (json.kind(names) != JsonReader.ARRAY) return null;
        TreeSet wanted = new TreeSet();
        for (int name = names + 1; name < json.next[names]; name = json.next[name]) {
            if (json.kind(name) != JsonReader.STRING) return null;
            wanted.add(json.string(name));
        }
        return RowKey.pick(json, writer, columns, wanted, true);
    }

    /** A list of columns with name and type, as an object of types in the same order; null for anything else. */
    private UTF8String types(int list) {
        if (json.kind(list) != JsonReader.ARRAY || json.next[list] == list + 1) return null;
        Set names = new HashSet();
        for (int column = list + 1; column < json.next[list]; column = json.next[column]) {
            boolean isObject = json.kind(column) == JsonReader.OBJECT;
            int name = isObject ? json.member(column, NAME) : -1, type = isObject ? json.member(column, TYPE) : -1;
            if (name < 0 || type < 0 || json.kind(name) != JsonReader.STRING || json.kind(type) != JsonReader.STRING
                    || !names.add(json.string(name))) {
                writer.forget();
                return null;
            }
            writer.writeName(json.string(name).getBytes());
            writer.write(type, false);
        }
        return writer.endOfObject();
    }
}
