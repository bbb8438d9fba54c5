"""Starting files of one's own, which `dprepro.own.start` writes under another name: each of them runs as it stands.

``my_name`` and ``MyName`` in their texts stand for the name that is given.
"""
