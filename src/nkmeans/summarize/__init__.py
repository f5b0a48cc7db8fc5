"""From the data to a coreset: sample, seed, summarize."""
