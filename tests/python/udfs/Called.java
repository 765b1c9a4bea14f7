package watershed.tests;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.unsafe.types.UTF8String;
import watershed.json.JsonFunctions;

/**
 * Calls the functions with values written as bytes (java_side.py): N is null, B and T are followed by a length, a colon
 * and as many bytes (of a binary, of a text), A by a number of items, a colon and the items.
 */
public final class Called {
    private final byte[] given;
    private int at;
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private Called(byte[] given) {
        this.given = given;
    }

    /** Call a method once for each list of arguments; return all results. */
    public static byte[] call(String name, byte[] given) throws Throwable {
        Called called = new Called(given);
        Method[] methods = JsonFunctions.class.getMethods();
        Method method = null;
        for (int i = 0; i < methods.length; i++) if (methods[i].getName().equals(name)) method = methods[i];
        int calls = called.number();
        called.begin("A" + calls + ":");
        try {
            for (int i = 0; i < calls; i++) called.write(method.invoke(null, called.items(called.number())));
        } catch (InvocationTargetException failure) {
            throw failure.getCause();
        }
        return called.out.toByteArray();
    }

    /** Open a message that is too large to come from Python; return its error code or the size of the first member. */
    public static String openRepeated(String first, String part, int times, String last, String members) {
        byte[] value = new byte[first.length() + part.length() * times + last.length()];
        for (int i = 0; i < value.length; i++) {
            int place = i - first.length();
            int rest = place - part.length() * times;
            value[i] = (byte) (place < 0 ? first.charAt(i)
                    : rest < 0 ? part.charAt(place % part.length()) : last.charAt(rest));
        }
        InternalRow row = JsonFunctions.openJson(value, UTF8String.fromString(members));
        return row.isNullAt(1) ? row.getArray(0).getUTF8String(0).numBytes() + " bytes" : row.getUTF8String(1).toString();
    }

    private Object[] items(int count) {
        Object[] items = new Object[count];
        for (int i = 0; i < count; i++) {
            int kind = given[at++];
            if (kind == 'N') continue;
            int number = number();
            if (kind == 'A') {
                items[i] = new GenericArrayData(items(number));
            } else {
                byte[] bytes = Arrays.copyOfRange(given, at, at + number);
                at += number;
                items[i] = kind == 'B' ? (Object) bytes : UTF8String.fromBytes(bytes);
            }
        }
        return items;
    }

    private int number() {
        int first = at;
        while (given[at] != ':') at++;
        return Integer.parseInt(new String(given, first, at++ - first, StandardCharsets.US_ASCII));
    }

    private void write(Object value) {
        if (value == null) {
            begin("N");
        } else if (value instanceof UTF8String) {
            byte[] bytes = ((UTF8String) value).getBytes();
            begin("T" + bytes.length + ":");
            out.write(bytes, 0, bytes.length);
        } else if (value instanceof MapData) {
            begin("A2:");
            write(((MapData) value).keyArray());
            write(((MapData) value).valueArray());
        } else if (value instanceof Boolean || value instanceof Long) {
            write(UTF8String.fromString(value.toString()));
        } else {
            boolean isRow = value instanceof InternalRow;
            Object[] items = isRow ? ((GenericInternalRow) value).values() : ((GenericArrayData) value).array();
            begin("A" + items.length + ":");
            for (int i = 0; i < items.length; i++) write(items[i]);
        }
    }

    private void begin(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        out.write(bytes, 0, bytes.length);
    }
}
