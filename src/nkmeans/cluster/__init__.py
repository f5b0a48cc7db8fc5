"""Centres from points: k-means++, swaps, Lloyd, all under the trimmed cost."""
