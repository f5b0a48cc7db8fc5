"""The paper's experiments: data sets, methods, one place that scores, runs that can be resumed."""
