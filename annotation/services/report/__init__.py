"""The report of a campaign or study: sections, tables, figures, words, and where a number comes from."""
