"""The signs of workers are read in another process than the one that gives them."""

from multiprocessing import get_context

from app.web.life_signs import LifeSigns


def test_the_silence_is_that_of_the_worker_that_gave_no_sign_for_longest():
    now = [100.0]
    signs = LifeSigns(3, lambda: now[0])
    assert (signs.serving, signs.longest_silence_seconds) == (0, 0.0)
    signs.show(0)
    now[0] = 103.0
    signs.show(2)
    now[0] = 104.5
    assert (signs.serving, signs.longest_silence_seconds) == (2, 4.5)
    signs.clear(0)
    assert (signs.serving, signs.longest_silence_seconds) == (1, 1.5)


def test_a_sign_from_another_process_arrives():
    signs = LifeSigns(2)
    worker = get_context("spawn").Process(target=signs.show, args=(1,))
    worker.start()
    worker.join()
    assert signs.serving == 1
    assert 0 <= signs.longest_silence_seconds < 60
