"""Gates before a deployment: whether processors carry a load within limits, up to which rate, and which ones would."""
