"""Only the main thread may touch widgets or the scene."""

from concurrent.futures import ThreadPoolExecutor

import qt

label = qt.QLabel("waiting")


def work():
    label.setNum(5)


with ThreadPoolExecutor(1) as pool:
    future = pool.submit(work)
future.result()
