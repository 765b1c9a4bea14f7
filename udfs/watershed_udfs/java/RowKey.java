package watershed.json;

import com.ibm.icu.lang.UCharacter;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Iterator;
import java.util.TreeSet;
import org.apache.spark.unsafe.types.UTF8String;

/** The key of a row as canonical JSON. The reference is row_key.py. */
final class RowKey {
    private static final int MAX_ADDED_ZEROS = 400, MAX_EXPONENT_DIGITS = 4000;

    /**
     * The key columns of an object, sorted by name, numbers as `canonicalNumber` writes them; null if one is missing.
     * `isCanonical`: whether all other values are written canonically instead of as sent.
     */
    static UTF8String pick(JsonReader json, JsonWriter writer, int columns, TreeSet names, boolean isCanonical) {
        if (names.isEmpty()) return null;
        for (Iterator each = names.iterator(); each.hasNext();) {
            byte[] name = ((UTF8String) each.next()).getBytes();
            int value = json.member(columns, name);
            if (value < 0) value = sameName(json, columns, name);
            if (value < 0) {
                writer.forget();
                return null;
            }
            writer.writeName(name);
            if (json.kind(value) == JsonReader.NUMBER) {
                writer.write(UTF8String.fromString(canonicalNumber(json.raw(value).toString())));
            } else if (isCanonical) {
                writer.write(value, false);
            } else {
                writer.write(json.raw(value));
            }
        }
        return writer.endOfObject();
    }

    /** The only member whose name is equal apart from case; -1 if there is none, or more than one. */
    private static int sameName(JsonReader json, int columns, byte[] name) {
        String folded = folded(name);
        int[] members = json.children(columns);
        int found = -1;
        for (int i = 0; i < members.length; i++) {
            byte[] other = json.name(members[i]);
            if (!folded(other).equals(folded)) continue;
            if (found >= 0 && !Arrays.equals(json.name(found), other)) return -1;
            found = members[i];
        }
        return found;
    }

    private static String folded(byte[] name) {
        return UCharacter.foldCase(new String(name, StandardCharsets.UTF_8), true);
    }

    /** A JSON number, written so that equal numbers have equal texts, at any length and without rounding. */
    static String canonicalNumber(String literal) {
        int e = Math.max(literal.indexOf('e'), literal.indexOf('E'));
        String power = e < 0 ? "0" : literal.substring(e + 1);
        if (power.length() > MAX_EXPONENT_DIGITS) return literal;
        String sign = literal.startsWith("-") ? "-" : "";
        String mantissa = literal.substring(sign.length(), e < 0 ? literal.length() : e);
        int dot = mantissa.indexOf('.');
        int decimals = dot < 0 ? 0 : mantissa.length() - dot - 1;
        String digits = without(dot < 0 ? mantissa : mantissa.substring(0, dot) + mantissa.substring(dot + 1));
        int last = digits.length();
        while (last > 0 && digits.charAt(last - 1) == '0') last--;
        if (last == 0) return "0";
        String significant = digits.substring(0, last);
        BigInteger exponent = new BigInteger(power.startsWith("+") ? power.substring(1) : power)
                .add(BigInteger.valueOf((long) digits.length() - decimals - last));
        BigInteger point = exponent.add(BigInteger.valueOf(last)); // the number is 0.<significant> * 10 ** point
        BigInteger most = BigInteger.valueOf(MAX_ADDED_ZEROS);
        if (exponent.compareTo(most) > 0 || point.negate().compareTo(most) > 0) {
            String fraction = last > 1 ? "." + significant.substring(1) : "";
            BigInteger shown = point.subtract(BigInteger.ONE);
            return sign + significant.charAt(0) + fraction + "E" + (shown.signum() < 0 ? "" : "+") + shown;
        }
        int place = point.intValue();
        if (exponent.signum() >= 0) return sign + significant + "0".repeat(exponent.intValue());
        if (place > 0) return sign + significant.substring(0, place) + "." + significant.substring(place);
        return sign + "0." + "0".repeat(-place) + significant;
    }

    private static String without(String digits) {
        int first = 0;
        while (first < digits.length() && digits.charAt(first) == '0') first++;
        return digits.substring(first);
    }
}
