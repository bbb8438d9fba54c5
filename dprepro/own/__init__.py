"""A researcher's own code: objects and files that stand in the place of shipped algorithms and constructions.

A file is named as ``FILE.py:NAME``, a class or a function of it. `dprepro.support.user_files` is the way to it:

- ``is_target(text)``: whether a text is of that form;
- ``dotted(target)``: the name by which configurations and keys know it, ``own_FILE_DIGEST.NAME``. The file is read, and
  nothing of it is run; another content is another name;
- ``trust(target)``: the user has named it, so that it may be run; gives the dotted name;
- ``load(target)``: the class or function itself; runs the file.

A configuration that names a file, or the dotted name of one, runs nothing unless the user has named that file in a
command or a call, or has said ``--trust`` of its folder.

`capture` writes down what an object of a notebook is defined by, as such a file; `adapters` make algorithms of plain
functions and estimators and constructions of arrays; `experiment` makes an experiment of all these.
"""
