"""Where runs are carried out: in threads of this process, or in processes of their own."""
