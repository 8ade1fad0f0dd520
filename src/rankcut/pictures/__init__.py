"""Pictures; they need Matplotlib or Plotly."""
