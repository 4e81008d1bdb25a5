"""The goals of a policy: which processors each proposes, before rules hold or change them."""
