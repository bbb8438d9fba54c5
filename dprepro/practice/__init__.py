"""For a person with data, or before there are any: tables, schemas, and advice by public numbers."""
