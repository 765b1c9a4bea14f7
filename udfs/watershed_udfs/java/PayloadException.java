package watershed.json;

/** Data that cannot be read: a reason code, and a detail without payload content (errors.py). Has no stack trace. */
final class PayloadException extends RuntimeException {
    final String code;

    PayloadException(String code, String detail) {
        super(detail, null, false, false);
        this.code = code;
    }
}
