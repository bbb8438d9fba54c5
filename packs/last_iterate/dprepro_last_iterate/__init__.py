"""What the last iterate of noisy projected gradient descent on convex losses leaks, for the ledger of dprepro."""
