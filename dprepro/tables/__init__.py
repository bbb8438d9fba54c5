"""A person's table: what is public about its columns, and its encoding by that alone."""

from dprepro.tables.encoding import Encoded, encode
from dprepro.tables.reading import read_table
from dprepro.tables.schema import Column, Schema, load_schema

DPREPRO_READS = ()  # see constructions.table

__all__ = ["Column", "Encoded", "Schema", "encode", "load_schema", "read_table"]
