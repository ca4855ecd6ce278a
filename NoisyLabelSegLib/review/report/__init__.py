"""The report: HTML pages, tables, pictures and plots."""
