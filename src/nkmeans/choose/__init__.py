"""What nobody told: how many outliers, how many clusters."""
