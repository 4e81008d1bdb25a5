"""The objectives of plans; app/planning/plans/schemas.py has their list."""
