"""What is shown of stored measurements: results folders, the ledger, the listing. No algorithm is imported here."""
