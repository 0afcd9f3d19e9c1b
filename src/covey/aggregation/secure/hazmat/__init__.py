"""Primitives that are dangerous to use one by one. `keyring.py` and `masks.py` import them; nothing else may.

Everything cryptographic but Shamir's sharing is pyca/cryptography's. Everything random is the operating system's.
"""
