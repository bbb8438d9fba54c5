"""The privacy of objective perturbation, exactly, and approximate minima, for the ledger of dprepro."""
