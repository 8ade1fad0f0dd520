"""A page on which a file is dropped and answers appear: the same functions as the commands.

``reading`` says how a file was read, ``answers`` are what can be asked of it. ``desk`` keeps the
files that are open, each with a process that makes answers and can be stopped, and ``server`` shows
them, on this machine alone, as the page of ``app.html``, its style and script.
"""
