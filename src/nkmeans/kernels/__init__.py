"""Compiled functions over one block of rows: arrays in, arrays out, no threads inside."""
