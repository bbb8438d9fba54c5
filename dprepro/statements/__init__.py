"""What papers state: a file for each paper, a value for each numbered statement."""
