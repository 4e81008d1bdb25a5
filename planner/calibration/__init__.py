"""What measured waits say of modelled ones, operator by operator."""
