"""What every room may use: texts, files, YAML, numbers, signals and the process that waits for a command."""
