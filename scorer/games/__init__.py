"""The games, one module or package each; every one exposes GAME and judge(case)."""
