"""What every room may use: checks, progress, memory, words, frames."""
