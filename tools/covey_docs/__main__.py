"""Writes every generated block of every page, and says which pages changed."""

import sys

from covey_docs.pages import ROOT, pages, written_anew

for page in pages():
    before = page.read_text("utf-8")
    after = written_anew(before)
    if after != before:
        page.write_text(after, "utf-8")
        sys.stdout.write(f"written: {page.relative_to(ROOT)}\n")
