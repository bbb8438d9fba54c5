"""A paper for the ledger of dprepro; its configurations are in the folder conf."""
