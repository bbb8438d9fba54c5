"""What of JSON Schema (2020-12) `ledger.schema.json` uses: enough to hold a ledger against it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "null": (type(None),),
    "number": (int, float), "integer": (int,),
}  # fmt: skip
KNOWN = {
    "$schema", "$defs", "$ref", "title", "description", "type", "properties", "required", "additionalProperties",
    "items", "enum", "const", "anyOf",
}  # fmt: skip


def faults(value: Any, schema: Mapping[str, Any], whole: Mapping[str, Any], where: str = "") -> Iterator[str]:
    """Where a value is not what the schema says, one line each."""
    assert schema.keys() <= KNOWN, f"the checker does not know {schema.keys() - KNOWN}"
    if "$ref" in schema:
        yield from faults(value, whole["$defs"][schema["$ref"].removeprefix("#/$defs/")], whole, where)
    if "anyOf" in schema:
        tried = [list(faults(value, one, whole, where)) for one in schema["anyOf"]]
        if all(tried):
            yield from min(tried, key=len)
    if "const" in schema and value != schema["const"]:
        yield f"{where} is {value!r}, not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where} is {value!r}, none of {schema['enum']}"
    if "type" in schema:
        kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if not any(isinstance(value, TYPES[kind]) and (kind == "boolean") >= isinstance(value, bool) for kind in kinds):
            yield f"{where} is {value!r}, of no type of {kinds}"
            return
    if isinstance(value, list) and "items" in schema:
        for index, number in enumerate(value):
            yield from faults(number, schema["items"], whole, f"{where}[{index}]")
    if isinstance(value, dict):
        own, further = schema.get("properties", {}), schema.get("additionalProperties", True)
        yield from (f"{where} lacks {key}" for key in schema.get("required", ()) if key not in value)
        for key, number in value.items():
            if key in own:
                yield from faults(number, own[key], whole, f"{where}.{key}")
            elif further is False:
                yield f"{where} has {key}, of which the schema knows nothing"
            elif isinstance(further, Mapping):
                yield from faults(number, further, whole, f"{where}.{key}")
