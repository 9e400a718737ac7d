"""Optical character recognition: the engine, its weights, the worker pool."""
