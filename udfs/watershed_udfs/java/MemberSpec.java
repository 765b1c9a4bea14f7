package watershed.json;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The requested members of messages, from the second argument of `open_json`, such as `[["payload.op", "text"]]`. The
 * reference is member_spec.py. An invalid specification is an error in the query, which then fails.
 */
final class MemberSpec {
    private static final List KINDS =
            Arrays.asList(new String[] {"any", "array", "ddl_meta", "key", "names", "object", "text", "types"});

    /** A member of an object that a step found (0 is the message): a step, a requested member or a requested key. */
    static final class Member {
        int place, parent, namesParent;
        String path, kind;
        byte[] name, namesName;
        byte[][] without;
        boolean keepsOrder;
    }

    final UTF8String text;
    final int size;
    final Member[] steps, wanted, keys, whole;

    private final JsonReader json = new JsonReader();
    private final List stepList = new ArrayList();
    private final Map objects = new HashMap();

    MemberSpec(UTF8String text) {
        this.text = text;
        byte[] bytes = text.getBytes();
        try {
            json.read(bytes, 0, bytes.length);
        } catch (PayloadException wrong) {
            throw new IllegalArgumentException("open_json: the members are no JSON: " + wrong.getMessage());
        }
        int[] entries = json.kind(0) == JsonReader.ARRAY ? json.children(0) : new int[0];
        if (entries.length == 0) {
            throw new IllegalArgumentException("open_json: the members are not a JSON array of [path, kind] entries");
        }
        size = entries.length;
        objects.put("", Integer.valueOf(0));
        List wantedList = new ArrayList(), keyList = new ArrayList(), wholeList = new ArrayList();
        for (int place = 0; place < size; place++) {
            Member member = readEntry(place, entries[place]);
            if (member.path.isEmpty()) wholeList.add(member);
            else if (member.kind.equals("key")) keyList.add(member);
            else wantedList.add(member);
        }
        steps = (Member[]) stepList.toArray(new Member[0]);
        wanted = (Member[]) wantedList.toArray(new Member[0]);
        keys = (Member[]) keyList.toArray(new Member[0]);
        whole = (Member[]) wholeList.toArray(new Member[0]);
    }

    private Member readEntry(int place, int entry) {
        String where = "open_json: member " + place + " ";
        int[] parts = json.kind(entry) == JsonReader.ARRAY ? json.children(entry) : new int[0];
        check(parts.length == 2 || parts.length == 3, where + "is not [path, kind] or [path, kind, options]");
        Member member = new Member();
        member.place = place;
        member.path = stringOr(parts[0], ".");
        check(member.path.isEmpty() || isPath(member.path), where + "has no path of names separated by dots");
        member.kind = stringOr(parts[1], "");
        check(KINDS.contains(member.kind), where + "has none of the kinds " + KINDS);
        int[] options = new int[0];
        if (parts.length == 3) {
            check(json.kind(parts[2]) == JsonReader.OBJECT, where + "has options that are not an object");
            options = json.children(parts[2]);
        }
        String names = "";
        for (int i = 0; i < options.length; i++) {
            String option = new String(json.name(options[i]), StandardCharsets.UTF_8);
            boolean isObject = member.kind.equals("object");
            if (option.equals("without") && isObject) {
                member.without = readNames(options[i], where + "may have {\"without\": [names]}");
            } else if (option.equals("keeps_order") && (isObject || member.kind.equals("any"))) {
                String value = json.raw(options[i]).toString();
                member.keepsOrder = value.equals("true");
                check(member.keepsOrder || value.equals("false"), where + "may have {\"keeps_order\": true or false}");
            } else {
                check(option.equals("names") && member.kind.equals("key"), where + "has an unknown option " + option);
                names = stringOr(options[i], "");
            }
        }
        if (member.kind.equals("key")) {
            check(isPath(member.path) && isPath(names),
                    where + "needs a path and {\"names\": path of the names of the key columns}");
        }
        if (!member.path.isEmpty()) {
            member.parent = stepTo(member.path);
            member.name = last(member.path);
        }
        if (!names.isEmpty()) {
            member.namesParent = stepTo(names);
            member.namesName = last(names);
        }
        return member;
    }

    /** The number of the object in which a path ends; adds the steps to it. */
    private int stepTo(String path) {
        int dot = path.lastIndexOf('.');
        String above = dot < 0 ? "" : path.substring(0, dot);
        if (!objects.containsKey(above)) {
            Member step = new Member();
            step.parent = stepTo(above);
            step.path = above;
            step.name = last(above);
            stepList.add(step);
            objects.put(above, Integer.valueOf(stepList.size()));
        }
        return ((Integer) objects.get(above)).intValue();
    }

    private byte[][] readNames(int value, String problem) {
        check(json.kind(value) == JsonReader.ARRAY, problem);
        int[] items = json.children(value);
        byte[][] names = new byte[items.length][];
        for (int i = 0; i < items.length; i++) {
            check(json.kind(items[i]) == JsonReader.STRING, problem);
            names[i] = json.string(items[i]).getBytes();
        }
        return names;
    }

    private String stringOr(int value, String other) {
        return json.kind(value) == JsonReader.STRING ? json.string(value).toString() : other;
    }

    private static byte[] last(String path) {
        return path.substring(path.lastIndexOf('.') + 1).getBytes(StandardCharsets.UTF_8);
    }

    private static boolean isPath(String path) {
        return !("." + path + ".").contains("..");
    }

    private static void check(boolean isRight, String problem) {
        if (!isRight) throw new IllegalArgumentException(problem);
    }
}
