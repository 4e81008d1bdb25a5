"""The exact share of spare processors among topologies: on one board where gains fall, by chains where they do not."""
