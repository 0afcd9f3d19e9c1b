"""One file a phase. In each, `at_home` answers for a person and `at_server` for the server; both are pure.

advertise     announcement → two public keys for this round, signed by the enrolled key
share         roll → shares of both secrets of this round, sealed for each neighbour
mask          delivery → the update under its own mask and those in common with neighbours
acknowledge   list of answerers → a signature under that list
unmask        everybody's signatures → one share of each neighbour, of the one kind or the other
"""
