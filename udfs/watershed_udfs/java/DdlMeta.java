package watershed.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The statement in a DataHub `ddlMeta`, a serialized object (Java Object Serialization Specification, section 6.4) that
 * is parsed as bytes and never deserialized. The reference is ddl_meta.py.
 */
final class DdlMeta {
    private static final int HEADER = 0xACED0005, MAX_CLASSES = 16;
    private static final int NULL = 0x70, REFERENCE = 0x71, CLASS = 0x72, OBJECT = 0x73, STRING = 0x74;
    private static final int BLOCK = 0x77, END = 0x78, LONG_STRING = 0x7C;
    private static final String ROOT = "com.alibaba.di.plugin.center.meta.DDLMeta", FIELD = "ddlText";
    private static final String PRIMITIVES = "BZCSIFJD", SIZES = "11224488";

    private final ByteBuffer stream;

    private DdlMeta(byte[] bytes) {
        stream = ByteBuffer.wrap(bytes);
    }

    /** The readable beginning of the statement in a Base64 text; null if it cannot be read. */
    static UTF8String read(byte[] text) {
        try {
            return UTF8String.fromString(new DdlMeta(decodedPrefix(text)).statement());
        } catch (RuntimeException unreadable) {
            return null;
        }
    }

    private static byte[] decodedPrefix(byte[] text) {
        String packed = new String(text, StandardCharsets.ISO_8859_1).replaceAll("[ \t-\r]", "");
        String body = packed.replaceFirst("(?s)[^A-Za-z0-9+/].*", "");
        String padding = packed.substring(body.length()).replaceFirst("(?s)^(={0,2}).*", "$1");
        boolean isWhole = (body.length() + padding.length()) % 4 == 0;
        return Base64.getDecoder().decode(isWhole ? body + padding : body.substring(0, body.length() / 4 * 4));
    }

    private String statement() {
        expect(stream.getInt() == HEADER);
        expect(number(1) == OBJECT);
        List classes = new ArrayList(); // per class its name, then type and name of each field
        int tag = number(1);
        while (tag != NULL || classes.isEmpty()) {
            expect(tag == CLASS && classes.size() < MAX_CLASSES);
            classes.add(0, fields());
            tag = number(1);
        }
        expect(((List) classes.get(classes.size() - 1)).get(0).equals(ROOT));
        for (int i = 0; i < classes.size(); i++) {
            List fields = (List) classes.get(i);
            for (int j = 1; j < fields.size(); j++) {
                int size = size(((String) fields.get(j)).charAt(0));
                if (size > 0) skip(size); // primitive fields come first
            }
            for (int j = 1; j < fields.size(); j++) {
                String field = (String) fields.get(j);
                if (size(field.charAt(0)) > 0) continue;
                if (fields.get(0).equals(ROOT) && field.substring(1).equals(FIELD)) return string();
                skipString();
            }
        }
        throw new IllegalStateException();
    }

    private List fields() {
        List fields = new ArrayList();
        fields.add(text(number(2)));
        skip(8); // the version of the class
        expect((number(1) & 6) == 2); // serializable, not externalizable
        for (int count = number(2); count > 0; count--) {
            char type = (char) number(1);
            expect(size(type) > 0 || type == 'L' || type == '[');
            fields.add(type + text(number(2)));
            if (size(type) == 0) skipString(); // the name of its class
        }
        for (int tag = number(1); tag != END; tag = number(1)) {
            expect(tag == BLOCK);
            skip(number(1));
        }
        return fields;
    }

    private static int size(char type) {
        int place = PRIMITIVES.indexOf(type);
        return place < 0 ? 0 : SIZES.charAt(place) - '0';
    }

    private String string() {
        int tag = number(1);
        expect(tag == STRING || tag == LONG_STRING);
        return text(tag == STRING ? number(2) : Math.toIntExact(stream.getLong()));
    }

    private void skipString() {
        int tag = number(1);
        if (tag == NULL) return;
        expect(tag == REFERENCE || tag == STRING || tag == LONG_STRING);
        if (tag == REFERENCE) skip(4);
        else skip(tag == STRING ? number(2) : Math.toIntExact(stream.getLong()));
    }

    /** Modified UTF-8: NUL is C0 80, and characters of other planes are two surrogates of three bytes each. */
    private String text(int length) {
        expect(length >= 0 && length <= stream.remaining());
        byte[] bytes = new byte[length];
        stream.get(bytes);
        String replaced = new String(bytes, StandardCharsets.ISO_8859_1).replace("\u00C0\u0080", "\0");
        ByteBuffer units = ByteBuffer.wrap(replaced.getBytes(StandardCharsets.ISO_8859_1));
        try {
            return Charset.forName("CESU-8").newDecoder().decode(units).toString();
        } catch (CharacterCodingException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    private int number(int bytes) {
        return bytes == 1 ? stream.get() & 0xFF : stream.getShort() & 0xFFFF;
    }

    private void skip(int count) {
        expect(count >= 0 && count <= stream.remaining());
        stream.position(stream.position() + count);
    }

    private static void expect(boolean isRight) {
        if (!isRight) throw new IllegalStateException();
    }
}
