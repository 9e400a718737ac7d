"""Stratified draws: who may be drawn, units, allocation, and a manifest that repeats the draw."""
