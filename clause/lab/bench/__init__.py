"""The rows of `clause bench`: each figure beside a baseline of the same run."""
