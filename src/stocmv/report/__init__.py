"""The report page: one file that shows a certificate, and how to check it (extra ``cli``)."""

from ._page import render as render, render_predictions as render_predictions
from ._summaries import DataSummary as DataSummary, TestErrors as TestErrors
