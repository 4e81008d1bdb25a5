"""The mathematics of Headgate: values in, values out; no service, no clock, no environment."""
