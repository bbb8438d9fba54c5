"""The papers' numbered statements, as values: what each says, of what, and where it says nothing."""
