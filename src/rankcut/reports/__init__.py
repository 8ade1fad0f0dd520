"""Results as tables, data and sentences: descriptions, consensus, blocs, predictions."""
