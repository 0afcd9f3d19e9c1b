"""Writes the parts of the documentation that the code already says: `make docs`, or `python -m covey_docs`.

Every such part lies between two markers in a page that is otherwise written by hand. A test compares the page
with what this package would write, so a page that has fallen behind fails.
"""
