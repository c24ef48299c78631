"""Two statements side by side: may they be merged, do they contradict."""
