"""Pictures drawn with Matplotlib, and pages that need no other library."""
