"""What people do beside reading the score: ask why, name a card they hold, shake the phone, keep their table, take a log in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from browsing import needs_chromium
from playwright.sync_api import Page, expect
from rig import Rig, wait

pytestmark = needs_chromium


def test_why_says_every_line_of_a_score_with_its_cards(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.play(1)
    player = rig.snapshot["players"][1]
    page = visit()
    page.locator("[data-test=why-B]").click()
    sheet = page.locator("[data-test=why-sheet]")
    expect(sheet.locator("h2")).to_contain_text(str(player["total"]))
    for term in player["terms"]:
        line = sheet.locator(f"[data-test=why-{term['label']}]")
        expect(line.locator("b")).to_have_text(str(term["amount"]))
        expect(line.locator(".card")).to_have_count(len(term["cards"]))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.keyboard.press("Escape")
    expect(sheet).not_to_be_visible()
    assert page.evaluate("document.activeElement.dataset.test") == "why-B"


def test_a_card_held_up_is_named_and_the_camera_waits(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.play(3, most=4)
    page = visit()
    page.locator("[data-test=hold]").click()
    assert wait(lambda: rig.snapshot["state"] == "paused")
    expect(page.locator("[data-test=hold-note]")).to_contain_text("No card stands out")
    rig.look.holding = "08-bright"
    expect(page.locator("[data-test=sheet] h2")).to_have_text("Pampas bright, moon")
    expect(page.locator("[data-test=sheet]")).to_contain_text("One of five brights")
    expect(page.locator("[data-test=deck]")).to_have_count(0)  # it lies nowhere: there is nothing to correct
    assert wait(lambda: rig.snapshot["state"] != "paused")


def test_redo_is_offered_only_when_there_is_something_to_redo(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.play(3, most=4)
    page = visit()
    undo, redo = page.locator("[data-test=undo]"), page.locator("[data-test=redo]")
    expect(redo).to_be_disabled()
    undo.click()
    expect(redo).to_be_enabled()
    redo.click()
    expect(redo).to_be_disabled()


SHAKES = """(wide) => {
  for (let i = 0; i < 6; i += 1) {
    const x = (i % 2 ? -1 : 1) * wide;
    window.dispatchEvent(new DeviceMotionEvent("devicemotion", { acceleration: { x, y: 1, z: 0 }, interval: 16 }));
  }
}"""


def test_shaking_undoes_only_where_it_is_wished_and_only_when_hard(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.play(3, most=4)
    page = visit()
    seq = rig.snapshot["seq"]
    page.evaluate(SHAKES, 30)
    page.locator("[data-test=menu]").click()
    page.locator("[data-test=shake-undo]").check()
    page.keyboard.press("Escape")
    page.evaluate(SHAKES, 6)
    page.wait_for_timeout(200)
    assert rig.snapshot["seq"] == seq
    page.evaluate(SHAKES, 30)
    assert wait(lambda: any(e.kind == "undo" for e in rig.match.events))


def test_a_table_is_kept_under_a_name_and_taken_again(rig: Rig, visit: Callable[..., Page]) -> None:
    page = visit("/setup#game", width=1280)
    page.locator("[data-test=name-0]").fill("Mina")
    page.locator("[data-test=name-1]").fill("Jun")
    page.locator("fieldset.rules summary").click()
    page.locator("#rule-target_two").fill("5")
    page.locator("#rule-target_two").press("Tab")
    page.locator("#stake").fill("100")
    page.locator("[data-test=groups] > summary").click()
    page.locator("[data-test=group-name]").fill("Sunday")
    page.locator("[data-test=keep-table]").click()
    expect(page.locator("#game-note")).to_have_text("Kept as Sunday.")
    page.locator("[data-test=ruleset]").select_option("matgo-2p")
    page.locator("[data-test=name-0]").fill("Somebody")
    page.reload()
    page.locator("[data-test=group]").select_option("Sunday")
    expect(page.locator("[data-test=name-0]")).to_have_value("Mina")
    expect(page.locator("[data-test=ruleset]")).to_have_value("classic")
    expect(page.locator("[data-test=diff] ins")).to_have_text("5")
    expect(page.locator("#stake")).to_have_value("100")
    page.locator("[data-test=forget-table]").click()
    expect(page.locator("[data-test=group]")).to_have_count(0)


def test_a_log_larger_than_a_command_is_taken_in_and_gone_on_with(rig: Rig, visit: Callable[..., Page], tmp_path: Path) -> None:
    rig.play(3)
    log = rig.house.export(rig.house.history()["current"], "jsonl") or ""
    last = json.loads(log.splitlines()[-1])["seq"]
    spec = json.loads(log.splitlines()[-1])
    more = {**spec, "kind": "note", "player": "A", "cards": [], "args": {"text": "x" * 300}}
    many = "".join(json.dumps({**more, "seq": last + n}) + "\n" for n in range(1, 1001))
    assert len(log + many) > 300_000
    file = tmp_path / "sunday.jsonl"
    file.write_text(log + many, encoding="utf-8")
    page = visit("/history", width=1280)
    page.locator("[data-test=import]").set_input_files(str(file))
    expect(page.locator("[data-test=sessions]")).to_contain_text("sunday")
    page.locator("#continue").click()
    page.wait_for_url("**/")
    assert wait(lambda: rig.snapshot["seq"] == last + 1000)
    expect(page.locator("[data-test=state]")).to_have_text("Deal over")


@pytest.mark.parametrize("text", ["{", '{"seq": 1}', "\x00", '{"kind": "\\ud800"}'])
def test_what_is_no_log_is_refused_in_words(rig: Rig, visit: Callable[..., Page], tmp_path: Path, text: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(text, encoding="utf-8")
    page = visit("/history")
    page.locator("[data-test=import]").set_input_files(str(file))
    expect(page.locator("[data-test=note]")).to_contain_text("That did not work")


def test_a_mistake_is_reported_with_a_word_about_it(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.play(3, most=4)
    page = visit()
    page.locator("[data-test=report]").click()
    page.locator("[data-test=report-text]").fill("Mina took two, not one")
    page.wait_for_timeout(400)
    rig.source.hand()
    rig.source.hand()
    page.locator("[data-test=report-save]").click()
    expect(page.locator("[data-test=report-answer]")).to_contain_text("Saved in")
    folder = Path((page.locator("[data-test=report-answer]").inner_text()).split("Saved in ")[1].split(". Send")[0])
    assert json.loads((folder / "report.json").read_text())["note"] == "Mina took two, not one"


def test_overlay_addresses_are_whole_and_copied(rig: Rig, visit: Callable[..., Page]) -> None:
    page = visit("/help", width=1280, permissions=["clipboard-read", "clipboard-write"])
    page.locator("[data-test=copy-1]").click()
    expect(page.locator("[data-test=copy-1]")).to_have_text("Copied")
    address = page.evaluate("navigator.clipboard.readText()")
    assert address == page.url.replace("/help", "/overlay?show=score")


def test_set_up_looks_for_the_table_itself_and_marks_what_is_done(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.source.hand()
    assert wait(lambda: rig.house.stream.view is not None)
    page = visit("/setup#corners")
    expect(page.locator("#corners-note")).to_have_text("Found. Drag a ring where it is not exact.")
    assert [name for name, _ in rig.look.said] == ["find-table"]
    expect(page.locator("[data-test=step-camera] b")).to_have_text("✓")
    page.locator("[data-test=save-corners]").click()
    expect(page.locator("[data-test=step-corners] b")).to_have_text("✓")
    page.locator("[data-test=step-corners]").click()
    page.wait_for_timeout(200)
    assert [name for name, _ in rig.look.said] == ["find-table", "corners"]  # what is set is not searched again
