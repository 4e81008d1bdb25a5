"""Who calls: keys, tickets of browsers, proxies, and what each caller may do."""
