"""Who carries runs out: threads of this process, or processes of their own."""
