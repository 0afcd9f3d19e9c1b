"""Results as people and programs read them: tables, Markdown, JSON, and one self-contained HTML page."""

from covey.reports.page import page
from covey.reports.tables import comparison, markdown, ours_and_theirs, presentable, summary_text, to_json

__all__ = ["comparison", "markdown", "ours_and_theirs", "page", "presentable", "summary_text", "to_json"]
