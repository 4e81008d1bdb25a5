"""Requests that wait for the same key share one read, which began after all of them had asked."""

import asyncio
import threading

import pytest

from app.database.shared_reads import SharedReads


class Reader:
    """Counts its reads; each waits until the test lets it end."""

    def __init__(self) -> None:
        self.begun = 0
        self.begins = threading.Semaphore(0)
        self.may_end = threading.Semaphore(0)

    def __call__(self, key: str) -> str:
        self.begun += 1
        number = self.begun
        self.begins.release()
        assert self.may_end.acquire(timeout=60)
        if key == "broken":
            raise LookupError(number)
        return f"{key} {number}"


async def wait_until_begun(reader: Reader) -> None:
    assert await asyncio.to_thread(reader.begins.acquire, timeout=60)


def test_callers_that_come_during_a_read_share_the_next_one():
    async def scenario() -> list[str]:
        reader = Reader()
        reads = SharedReads(reader, threads=2)
        first = asyncio.create_task(reads.ask("a"))
        await wait_until_begun(reader)
        later = [asyncio.create_task(reads.ask("a")) for _ in range(50)]
        reader.may_end.release(2)
        return await asyncio.gather(first, *later)

    assert asyncio.run(scenario()) == ["a 1"] + ["a 2"] * 50


def test_another_key_does_not_wait_and_no_more_reads_run_than_there_are_threads():
    async def scenario() -> None:
        reader = Reader()
        reads = SharedReads(reader, threads=2)
        asked = [asyncio.create_task(reads.ask(key)) for key in "abc"]
        await wait_until_begun(reader)
        await wait_until_begun(reader)
        await asyncio.sleep(0)
        assert reader.begun == 2
        reader.may_end.release(3)
        assert [one[0] for one in await asyncio.gather(*asked)] == ["a", "b", "c"]

    asyncio.run(scenario())


def test_a_caller_that_leaves_takes_the_read_from_nobody_and_an_error_reaches_all():
    async def scenario() -> None:
        reader = Reader()
        reads = SharedReads(reader, threads=1)
        asked = [asyncio.create_task(reads.ask("broken")) for _ in range(3)]
        await wait_until_begun(reader)
        asked[0].cancel()
        reader.may_end.release()
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert isinstance(found[0], asyncio.CancelledError)
        assert [str(one) for one in found[1:]] == ["1", "1"]
        reader.may_end.release()
        with pytest.raises(LookupError, match="2"):
            await reads.ask("broken")

    asyncio.run(scenario())
