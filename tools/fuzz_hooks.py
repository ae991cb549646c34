"""What schemathesis must be told: how a picture and a log of lines become bytes."""

import schemathesis


@schemathesis.serializer("application/x-ndjson", "image/jpeg")
def as_bytes(context: schemathesis.SerializationContext, value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")
