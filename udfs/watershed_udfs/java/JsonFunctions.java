package watershed.json;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The functions that SQL calls, with Spark's internal types as arguments and results. Row images are texts written by
 * `open_json`; for any text that is not JSON of the expected kind the result is null. The references are functions.py,
 * images.py and json_columns.py.
 */
public final class JsonFunctions {
    private static final ThreadLocal OF_THREAD = new ThreadLocal();
    private static final int KEPT_SPECS = 64;
    private static final long MAX_MILLIS = 253402300799999L;

    private final JsonReader json = new JsonReader();
    private final JsonWriter writer = new JsonWriter(json);
    private final JsonMessage message = new JsonMessage(json, writer);
    private final Map specs = new HashMap();
    private MemberSpec spec;

    private static JsonFunctions ofThread() {
        JsonFunctions functions = (JsonFunctions) OF_THREAD.get();
        if (functions == null) {
            functions = new JsonFunctions();
            OF_THREAD.set(functions);
        }
        functions.writer.forget();
        return functions;
    }

    public static InternalRow openJson(byte[] value, UTF8String members) {
        JsonFunctions functions = ofThread();
        MemberSpec spec = functions.specOf(members);
        try {
            Object[] texts = functions.message.open(value, spec);
            return new GenericInternalRow(new Object[] {new GenericArrayData(texts), null, null});
        } catch (PayloadException failure) {
            UTF8String code = UTF8String.fromString(failure.code);
            return new GenericInternalRow(new Object[] {null, code, UTF8String.fromString(failure.getMessage())});
        } finally {
            functions.json.release();
        }
    }

    /** The specification of a text, which is a constant of the query: parsed once per thread. */
    private MemberSpec specOf(UTF8String text) {
        if (text == null) {
            throw new IllegalArgumentException(
                    "open_json: the second argument is null; give the wanted members as JSON text");
        }
        if (spec == null || !text.equals(spec.text)) {
            spec = (MemberSpec) specs.get(text);
            if (spec == null) {
                if (specs.size() == KEPT_SPECS) specs.clear();
                spec = new MemberSpec(text.clone());
                specs.put(spec.text, spec);
            }
        }
        return spec;
    }

    public static UTF8String pickKey(UTF8String image, ArrayData names) {
        JsonFunctions functions = ofThread();
        TreeSet wanted = new TreeSet();
        for (int i = 0; i < names.numElements(); i++) {
            if (names.isNullAt(i)) return null;
            wanted.add(names.getUTF8String(i));
        }
        if (!functions.reads(image, JsonReader.OBJECT)) return null;
        UTF8String key = RowKey.pick(functions.json, functions.writer, 0, wanted, false);
        functions.json.release();
        return key;
    }

    public static MapData readColumns(UTF8String image) {
        JsonFunctions functions = ofThread();
        JsonReader json = functions.json;
        if (!functions.reads(image, JsonReader.OBJECT)) return null;
        Map columns = new LinkedHashMap();
        int[] members = json.children(0);
        for (int i = 0; i < members.length; i++) {
            columns.put(json.string(members[i] - 1), functions.columnText(members[i]));
        }
        json.release();
        GenericArrayData names = new GenericArrayData(columns.keySet().toArray());
        return new ArrayBasedMapData(names, new GenericArrayData(columns.values().toArray()));
    }

    public static UTF8String overlayImages(ArrayData images) {
        JsonFunctions functions = ofThread();
        Map columns = null;
        for (int i = 0; i < images.numElements(); i++) {
            if (images.isNullAt(i)) continue;
            Map more = functions.columns(images.getUTF8String(i));
            if (more == null) return null;
            if (columns == null) columns = more;
            else columns.putAll(more);
        }
        return columns == null ? null : functions.image(columns);
    }

    public static UTF8String dropColumns(UTF8String image, ArrayData names) {
        JsonFunctions functions = ofThread();
        Map columns = image == null ? null : functions.columns(image);
        if (columns == null) return null;
        for (int i = 0; names != null && i < names.numElements(); i++) {
            if (!names.isNullAt(i)) columns.remove(names.getUTF8String(i));
        }
        return functions.image(columns);
    }

    public static ArrayData nullColumns(UTF8String before, UTF8String after) {
        UTF8String isNull = UTF8String.fromString("null");
        Map one = ofThread().columns(before), other = one == null ? null : ofThread().columns(after);
        if (other == null) return null;
        List names = new ArrayList();
        for (Iterator each = other.keySet().iterator(); each.hasNext();) {
            Object name = each.next();
            if (isNull.equals(one.get(name)) && isNull.equals(other.get(name))) names.add(name);
        }
        return new GenericArrayData(names.toArray());
    }

    /** The names of columns that are known and missing in an image, as a JSON array; null if there are none. */
    public static UTF8String missingColumns(UTF8String known, UTF8String image) {
        JsonFunctions functions = ofThread();
        Set missing = functions.names(known, new LinkedHashSet());
        Set found = missing == null ? null : functions.names(image, new HashSet());
        if (found == null) return null;
        missing.removeAll(found);
        return missing.isEmpty() ? null : functions.writer.list(missing);
    }

    /** The names of the columns of an image, added to a set; null if the image is not a JSON object. */
    private Set names(UTF8String image, Set names) {
        if (!reads(image, JsonReader.OBJECT)) return null;
        int[] members = json.children(0);
        for (int i = 0; i < members.length; i++) names.add(json.string(members[i] - 1));
        json.release();
        return names;
    }

    public static ArrayData listItems(UTF8String array) {
        return ofThread().items(array, false);
    }

    public static ArrayData listTexts(UTF8String array) {
        return ofThread().items(array, true);
    }

    /** The items of an array as JSON, or as column texts: strings decoded, JSON null as null. */
    private ArrayData items(UTF8String array, boolean asTexts) {
        if (!reads(array, JsonReader.ARRAY)) return null;
        int[] items = json.children(0);
        Object[] texts = new Object[items.length];
        for (int i = 0; i < items.length; i++) texts[i] = asTexts ? columnText(items[i]) : json.raw(items[i]);
        json.release();
        return new GenericArrayData(texts);
    }

    private UTF8String columnText(int value) {
        byte kind = json.kind(value);
        return kind == JsonReader.NULL ? null : kind == JsonReader.STRING ? json.string(value) : json.raw(value);
    }

    /** Names with their texts; a name whose text is null is omitted. */
    public static MapData textMap(ArrayData names, ArrayData texts) {
        Map found = new LinkedHashMap();
        for (int i = 0; i < names.numElements(); i++) {
            if (!texts.isNullAt(i)) found.put(names.getUTF8String(i), texts.getUTF8String(i));
        }
        GenericArrayData keys = new GenericArrayData(found.keySet().toArray());
        return new ArrayBasedMapData(keys, new GenericArrayData(found.values().toArray()));
    }

    /** Microseconds for a text of milliseconds from 1970 to 9999; null for any other text. */
    public static Long millisTimestamp(UTF8String millis) {
        int size = millis.numBytes();
        if (size < 1 || size > 15) return null;
        long found = 0;
        for (int i = 0; i < size; i++) {
            byte digit = millis.getByte(i);
            if (digit < '0' || digit > '9') return null;
            found = 10 * found + digit - '0';
        }
        return found > MAX_MILLIS ? null : Long.valueOf(1000 * found);
    }

    public static InternalRow readDdl(UTF8String text, UTF8String database, UTF8String schema, UTF8String table) {
        if (text == null || text.numBytes() == 0) return null;
        UTF8String[] names = {database, schema, table};
        String[] source = new String[3];
        for (int i = 0; i < 3; i++) if (names[i] != null && names[i].numBytes() > 0) source[i] = names[i].toString();
        return DdlStatement.read(text.toString(), source);
    }

    /** Read a text; return whether it is JSON of the given kind. */
    private boolean reads(UTF8String text, byte kind) {
        try {
            json.read(text.getBytes(), 0, text.numBytes());
            return json.kind(0) == kind;
        } catch (PayloadException wrong) {
            return false;
        }
    }

    /** The columns of an image, sorted by name, each with its text as sent; null if the image is not a JSON object. */
    private Map columns(UTF8String image) {
        if (!reads(image, JsonReader.OBJECT)) return null;
        Map columns = new TreeMap();
        int[] members = json.children(0);
        for (int i = 0; i < members.length; i++) columns.put(json.string(members[i] - 1), json.raw(members[i]));
        json.release();
        return columns;
    }

    private UTF8String image(Map columns) {
        for (Iterator each = columns.entrySet().iterator(); each.hasNext();) {
            Map.Entry column = (Map.Entry) each.next();
            writer.writeName(((UTF8String) column.getKey()).getBytes());
            writer.write((UTF8String) column.getValue());
        }
        return writer.endOfObject();
    }
}
