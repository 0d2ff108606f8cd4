"""Line 5: examiners and the broker die and freeze, for as long as was promised."""

import tempfile
import time
from pathlib import Path

from tests.e2e import examiners, outages, pixels
from tests.parts.chromium import chromium
from tests.parts.stack import Stack
from tests.parts.valkey import Valkey
from tests.parts.visitor import Visitor
from tests.show.board import SCREENS
from tests.show.proof import Proof

OUTAGE_S, FROZEN_S, AFTER_S = 60.0, 180.0, 100.0


def outage(proof: Proof) -> None:
    broker = Valkey(Path(tempfile.mkdtemp(prefix="halfhour-broker-")), keep=True).start()
    stack = Stack(Path(tempfile.mkdtemp(prefix="halfhour-show-")), REDIS_URL=broker.url)
    try:
        stack.start(healthy_within=150)
        _examiners(proof, stack)
        _broker(proof, stack, broker)
    finally:
        stack.stop()
        stack.remove()
        broker.stop()


def _examiners(proof: Proof, stack: Stack) -> None:
    start = time.time()
    examiners.kill(stack, 0)
    time.sleep(AFTER_S)
    examiners.freeze(stack, 1, FROZEN_S)
    time.sleep(AFTER_S)
    seen = examiners.watched(stack, start)
    proof.check(
        seen.longest_gap <= examiners.LONGEST_GAP_S,
        f"examiner killed, other frozen {FROZEN_S:g} s: {seen.visits} visits, "
        f"longest without one {seen.longest_gap:.0f} s (≤ {examiners.LONGEST_GAP_S:g})",
    )
    proof.check(not seen.overlaps, f"{len(seen.overlaps)} nodes examined twice at once")
    proof.check(not seen.stale, f"{len(seen.stale)} stale writes after SIGCONT")


def _broker(proof: Proof, stack: Stack, broker: Valkey) -> None:
    visitor = Visitor(stack.url).sign_in(*stack.login("ops"))
    ways = (("stopped", broker.stop, broker.start), ("frozen", broker.freeze, broker.thaw))
    with chromium() as browser, pixels.signed_in(browser, stack, "ops") as page:
        for how, fail, mend in ways:
            pixels.follow(page, stack)
            seen = outages.endure(stack, page, visitor, fail, mend, seconds=OUTAGE_S)
            page.screenshot(path=SCREENS / f"10-after-{how}.png")
            proof.check(
                seen.slowest < outages.MOST_S and not seen.wrong,
                f"Valkey {how} {OUTAGE_S:g} s: {len(seen.answers)} pages and POSTs, slowest "
                f"{seen.slowest:.2f} s (< {outages.MOST_S:g}), {len(seen.wrong)} wrong "
                f"{seen.wrong[:2] or ''}",
            )
            proof.check(
                seen.not_live_after is not None,
                f"board not live after {seen.not_live_after or 0:.0f} s; once mended live again in "
                f"{seen.live_again_after:.0f} s and healthy in {seen.healthy_again_after:.0f} s",
            )
            proof.check(seen.lost == 0, f"{len(seen.asked)} visits asked for, {seen.lost} lost")
