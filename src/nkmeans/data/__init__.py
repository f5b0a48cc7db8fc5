"""Any input as blocks of rows, and what must be known of it before the first stage."""
