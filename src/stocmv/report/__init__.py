"""The page beside a certificate: one file for whoever relies on it, and for whoever doubts it (extra ``cli``)."""

from ._page import render
from ._summaries import DataSummary, TestErrors

__all__ = ["DataSummary", "TestErrors", "render"]
