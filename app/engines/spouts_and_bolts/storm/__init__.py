"""Apache Storm's UI REST API: topology pages, component pages and the graph of groupings."""
