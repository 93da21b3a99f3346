"""Whether 95 % intervals hold the truth, on simulations: campaigns drawn from large pools of runs.

    PYTHONPATH=tests python -m validation.coverage_simulated FOLDER

keeps the pools in FOLDER (some 20 MB, never checked in) and writes `tests/validation/results/coverage_simulated.csv`.
"""
