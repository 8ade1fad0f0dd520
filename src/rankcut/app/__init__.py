"""A page on which a file is dropped and answers appear: the same functions as the commands.

``reading`` says how a file was read, ``answers`` are what can be asked of it. Each file has a
process (``worker``) that makes them and can be stopped; ``desk`` keeps the files that are open, and
``server`` shows them, on this machine alone, as the page of ``app.html``, its style and script.
"""
