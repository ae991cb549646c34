"""Kibitz scorer: the rules, pure and without a clock."""
