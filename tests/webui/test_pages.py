"""The pages in a real browser (Debian's Chromium): few tests, each a whole path that a person takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import axe_playwright_python
import pytest
from browsing import needs_chromium
from playwright.sync_api import Page, expect
from rig import Rig, wait
from scripted import deal_turns  # puts the scorer's test tables on the path
from tabletop import Tabletop, game_zones

AXE = Path(axe_playwright_python.__file__).parent / "axe.min.js"  # Deque's axe-core as that package ships it; run by hand below
WIDTHS = (390, 1280)
PAGES = ("/", "/history", "/setup#camera", "/setup#corners", "/setup#cards", "/setup#game", "/help", "/phone")

pytestmark = needs_chromium


def points(page: Page) -> list[str]:
    return [page.locator(f"[data-test=points-{p}]").inner_text() for p in "AB"]


def test_scores_move_on_the_page_and_end_with_the_payout(rig: Rig, visit: Callable[..., Page]) -> None:
    page = visit()
    expect(page.locator("[data-test=state]")).to_have_text("Watching")
    rig.play(1)
    result = rig.match.snapshot()
    expect(page.locator("[data-test=points-B]")).to_have_text(str(result["players"][1]["total"]))
    expect(page.locator("[data-test=payout-A]")).to_have_attribute("data-amount", str(result["result"]["payout"]["A"]))
    expect(page.locator("[data-test=state]")).to_have_text("Deal over")
    assert points(page) == [str(p["total"]) for p in result["players"]]
    terms = result["result"]["payments"][0]["terms"]
    page.locator("[data-test=payout] summary").first.click()
    shown = page.locator("[data-test=payout] .payment li b").all_inner_texts()
    assert sum(int(x.replace("−", "-")) for x in shown) == result["result"]["payout"]["A"]
    assert len(shown) == len(terms)
    line = page.locator("[data-test^=term-B]").first
    line.click()
    assert page.locator("#board .card.lit").count() == len(next(t for t in result["players"][1]["terms"])["cards"])
    page.locator("[data-test=state-action]").click()
    expect(page.locator("[data-test=points-B]")).to_have_text("0")
    assert rig.snapshot["deal"] == 2


def test_a_card_is_corrected_in_two_taps_and_undone(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.play(3, most=2)
    page = visit()
    wrong = page.locator("#board [data-test=floor] button.card").first
    name = wrong.get_attribute("data-card")
    wrong.click()
    right = page.locator(f"[data-test=deck] button.card:not([data-card='{name}'])").nth(9)
    to = right.get_attribute("data-card")
    right.click()
    expect(page.locator(f"#board [data-card='{to}']").first).to_be_visible()
    assert to in rig.snapshot["floor"]
    page.locator("[data-test=undo]").click()
    assert wait(lambda: name in rig.snapshot["floor"])
    expect(page.locator(f"#board [data-card='{name}']").first).to_be_visible()
    page.locator("[data-test=redo]").click()
    assert wait(lambda: to in rig.snapshot["floor"])


def test_a_card_in_the_picture_is_corrected_with_its_likely_names(rig: Rig, visit: Callable[..., Page]) -> None:
    table = next(deal_turns(3))[0]
    rig.show(table)
    seen = next(s for s in table.state().seen if s.zone == "floor")
    place = {"zone": "floor", "zone_kind": "floor", "player": None, "quad": [[20, 20], [60, 20], [60, 70], [20, 70]]}
    others = [[seen.card, 0.6], ["12-animal", 0.3], ["01-bright", 0.1]]
    rig.look.cards = ({"id": seen.track, "card": seen.card, "others": others, "state": "unsure", **place},)
    page = visit(width=1280)
    page.locator("[data-test=show-video]").click()
    assert wait(lambda: rig.house.stream.viewers == 1)
    for _ in range(3):
        rig.look.tables.put(table.state())
        rig.source.hand()
    page.locator(f"[data-track='{seen.track}'] polygon").click()
    assert page.locator("[data-test=likely] button.card").count() == 2
    page.locator("[data-test=likely] button.card").first.click()
    assert wait(lambda: "12-animal" in rig.snapshot["floor"])
    page.locator("[data-test=show-drawn]").click()
    assert wait(lambda: rig.house.stream.viewers == 0, 8.0), "the video goes on although nobody looks"


def test_what_was_decided_unclearly_is_shown_as_unsure_and_mended_in_one_tap(rig: Rig, visit: Callable[..., Page]) -> None:
    assert rig.say("new-game", game="thegame", names=["Mina", "Jun"]).status == 200
    top = Tabletop(game_zones())
    camera = SimpleNamespace(state=lambda: top.look(wait=500))
    rig.show(camera, 1)
    top.touch("A", "pile-0")
    top.put("n6", "pile-0", names=(("n6", 0.47), ("n9", 0.44)), sure=False)
    rig.show(camera, 12)
    top.touch("A", "pile-1")
    top.put("n20", "pile-1")
    rig.show(camera, 2)
    page = visit()
    rows = page.locator("#events [data-test=event-play]")
    expect(rows).to_have_count(2)
    expect(rows.filter(has=page.locator(".mark"))).to_have_count(1)  # of two cards the one that was not clear
    page.locator("#events .unsure button[data-card=n9]").click()
    expect(page.locator("#events .unsure")).to_have_count(0)
    assert [p["top"] for p in rig.snapshot["piles"]][:2] == [9, 20]


def test_keyboard_alone(rig: Rig, visit: Callable[..., Page]) -> None:
    page = visit(width=1280)
    for table, said in deal_turns(1):
        rig.show(table)
        if said:
            break
    who = str(said["player"]) if said else ""
    expect(page.locator(f"[data-test=go-{who}]")).to_be_visible()
    page.keyboard.press("g")
    assert wait(lambda: next(p for p in rig.snapshot["players"] if p["id"] == who)["goes"] == 1)
    page.keyboard.press("z")
    assert wait(lambda: next(p for p in rig.snapshot["players"] if p["id"] == who)["goes"] == 0)
    expect(page.locator(f"[data-test=stop-{who}]")).to_be_visible()
    page.keyboard.press("s")
    assert wait(lambda: rig.snapshot["result"] is not None)
    expect(page.locator("[data-test=state]")).to_have_text("Deal over")
    page.keyboard.press("n")
    assert wait(lambda: rig.snapshot["deal"] == 2)
    page.keyboard.press(" ")
    expect(page.locator("[data-test=state]")).to_have_text("Paused")
    page.keyboard.press(" ")
    expect(page.locator("[data-test=state]")).to_have_text("Watching")
    page.keyboard.press("m")
    expect(page.locator("#menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#menu")).not_to_be_visible()
    for _ in range(60):  # everything that can be clicked is reached by Tab, and what has the focus is seen
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.test") == "undo":
            break
    assert page.evaluate("document.activeElement.dataset.test") == "undo"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_triple_is_declared_in_three_taps(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.play(3, most=2)
    page = visit()
    page.keyboard.press("h")
    row = page.locator("[data-test=shake-sheet] .row").first
    for n in range(3):
        row.locator("button.card").nth(n).click()
    turn = rig.snapshot["turn"]
    assert wait(lambda: next(p for p in rig.snapshot["players"] if p["id"] == turn)["shakes"] == 1)
    expect(page.locator(f"[data-test=facts-{turn}]")).to_contain_text("1 shake")


def test_four_people_sit_three_play_one_sells(rig: Rig, visit: Callable[..., Page]) -> None:
    setup = {"names": ["Mina", "Jun", "Seo", "Han"], "active": ["A", "B", "C"], "overrides": {"sell": 2, "chongtong": 5}}
    assert rig.say("new-game", ruleset="classic", **setup).status == 200
    assert rig.say("deal", cards=["01-bright", "02-animal", "03-bright", "04-animal", "05-animal", "06-animal"]).status == 200
    page = visit()
    expect(page.locator("[data-test=sitting]")).to_contain_text("Han")
    page.locator("[data-test=sell-D-2]").click()
    expect(page.locator("[data-test=sell-D-2]")).to_have_count(0)
    assert any(e["event"] == "sell" and e["brights"] == 2 for e in rig.snapshot["events"])
    assert rig.say("nagari", force=True).status == 200
    page.locator("[data-test=next-D]").click()
    page.locator("[data-test=next-A]").click()
    page.locator("[data-test=state-action]").click()
    assert wait(lambda: [p["id"] for p in rig.snapshot["players"]] == ["B", "C", "D"])


def test_states_have_a_word_and_an_action(rig: Rig, visit: Callable[..., Page]) -> None:
    from vision.frame import SourceState

    page = visit()
    state, action = page.locator("[data-test=state]"), page.locator("[data-test=state-action]")
    rig.source.state = SourceState.LOST
    expect(state).to_have_text("Camera lost")
    expect(action).to_have_text("Try again")
    rig.source.state = SourceState.LIVE
    expect(state).to_have_text("Watching")
    action.click()
    expect(state).to_have_text("Paused")
    assert rig.say("resume").status == 200
    expect(state).to_have_text("Watching")


def test_language_look_and_type_are_kept(rig: Rig, visit: Callable[..., Page]) -> None:
    page = visit()
    page.locator("[data-test=menu]").click()
    page.locator("[data-test=look]").select_option("dark")
    page.locator("[data-test=big]").check()
    page.locator("[data-test=language]").select_option("ko")
    expect(page.locator("[data-test=state]")).to_have_text("보는 중")
    assert page.locator("html").get_attribute("lang") == "ko"
    assert page.locator("html").get_attribute("data-look") == "dark"
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "20px"


def test_screen_readers_hear_what_happens(rig: Rig, visit: Callable[..., Page]) -> None:
    page = visit()
    expect(page.locator("[data-test=state]")).to_have_text("Watching")
    rig.play(3, most=4)
    live = page.locator("[data-test=live]")
    expect(live).to_contain_text("plays")
    assert live.get_attribute("aria-live") == "polite"
    assert "On the floor" in page.locator("[data-test=table-words]").inner_text()


def test_set_up_to_first_score(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.source.hand()
    assert wait(lambda: rig.house.stream.view is not None)
    page = visit("/setup", width=1280)
    expect(page.locator("[data-test=health]")).to_have_text("Good picture")
    page.locator("[data-test=next]").click()
    corner = page.locator("[data-test=corner-tl]")
    expect(corner).to_be_visible()
    expect(page.locator("#corners-note")).to_have_text("Found. Drag a ring where it is not exact.")
    before = corner.bounding_box()
    assert before is not None
    page.mouse.move(before["x"] + 20, before["y"] + 20)
    page.mouse.down()
    page.mouse.move(before["x"] + 60, before["y"] + 40, steps=3)
    expect(page.locator("canvas.lens")).to_be_visible()
    page.mouse.up()
    after = corner.bounding_box()
    assert after is not None
    assert round(after["x"] - before["x"]) == 40
    corner.press("ArrowRight")
    page.locator("[data-test=save-corners]").click()
    assert wait(lambda: rig.look.said)
    assert wait(lambda: rig.look.said[-1][0] == "corners")
    assert len(rig.look.said[-1][1]["corners_px"]) == 4
    expect(page.locator("[data-test=tested]")).to_be_visible()
    page.locator("[data-test=next]").click()
    page.locator("[data-test=name-0]").fill("Mina")
    page.locator("[data-test=name-1]").fill("Jun")
    page.locator("[data-test=start]").click()
    page.wait_for_url("**/")
    expect(page.locator("[data-test=player-A]")).to_contain_text("Mina")
    rig.play(1)
    expect(page.locator("[data-test=points-B]")).to_have_text("31")


def test_regions_are_dragged(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.source.hand()
    assert wait(lambda: rig.house.stream.view is not None)
    page = visit("/setup#corners", width=1280)
    page.locator("[data-test=zones] > summary").click()
    corner = page.locator("[data-test=zone-floor-0]")
    expect(corner).to_be_visible()
    box = corner.bounding_box()
    assert box is not None
    corner.hover()
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 60, steps=3)
    page.mouse.up()
    corner.press("ArrowRight")
    page.locator("[data-test=save-zones]").click()
    assert wait(lambda: any(name == "zones" for name, _ in rig.look.said))
    drawn = next(args for name, args in rig.look.said if name == "zones")["zones"][0]
    assert drawn["name"] == "floor"
    assert drawn["polygon_px"][0][0] > 15
    assert drawn["polygon_px"][1:] == [[80, 10], [80, 60], [10, 60]]


def test_a_past_deal_is_changed_in_the_history(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.play(3)
    assert rig.say("next-deal").status == 200
    page = visit("/history", width=1280)
    expect(page.locator("[data-test=running-B]")).to_have_text("+10")
    page.locator("[data-test=deal-1] > summary").click()
    page.locator("[data-test=deal-1] [data-test=event-stop] [data-test^=undo]").click()
    expect(page.locator("[data-test=running-B]")).to_have_text("0")
    with page.expect_download() as download:
        page.locator("[data-test=csv]").click()
    assert Path(download.value.path()).read_text().startswith("deal,dealer")


def test_the_overlay_has_the_whole_state_when_it_loads_and_no_background(rig: Rig, visit: Callable[..., Page]) -> None:
    rig.play(1)
    page = visit("/overlay?show=score,last", width=800, java_script_enabled=True)
    assert points(page) == [str(p["total"]) for p in rig.snapshot["players"]]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert page.evaluate("document.documentElement.scrollWidth") <= 800


@pytest.mark.parametrize("look", ["light", "dark"])
def test_axe_finds_no_serious_fault(rig: Rig, visit: Callable[..., Page], look: str) -> None:
    rig.play(1, most=40)
    rig.source.hand()
    page = visit("/", 390, color_scheme=look)
    address, script = page.url.rstrip("/"), AXE.read_text(encoding="utf-8")
    rules = "" if look == "light" else "{ runOnly: ['color-contrast'] }"  # the dark look is other colours on the same page
    steps: list[tuple[str, str | None]] = [(path, None) for path in (*PAGES, "/overlay")]
    steps += [("/", "#board button.card"), ("/", "[data-test=menu]"), ("/history", "[data-test=deal-1] > summary")]
    steps += [("/", "[data-test=why-B]"), ("/", "[data-test=hold]"), ("/", "[data-test=report]"), ("/setup#game", "fieldset.rules summary")]
    for path, click in steps:
        page.goto(address + path)
        page.wait_for_timeout(300)
        if click:
            page.locator(click).first.click()
            page.wait_for_timeout(300)
        faults = page.evaluate(
            f"{script}; axe.run({rules}).then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact))"
            ".map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 160)}`))"
        )
        assert faults == [], (path, click)


@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_and_targets_are_large(rig: Rig, visit: Callable[..., Page], width: int) -> None:
    rig.play(1)
    rig.source.hand()
    page = visit("/", width)
    address = page.url.rstrip("/")
    for path in PAGES:
        page.goto(address + path)
        page.wait_for_load_state("networkidle") if path in ("/help", "/phone") else page.wait_for_timeout(250)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        small = page.evaluate(
            """() => [...document.querySelectorAll('button:not(.card), a.button, select, .top a')].filter((e) => e.checkVisibility())
               .map((e) => [e.textContent.trim().slice(0, 20), e.getBoundingClientRect()]).filter(([, r]) => r.height < 35 || r.width < 30)
               .map(([t, r]) => `${t} ${Math.round(r.width)}x${Math.round(r.height)}`)"""
        )
        assert small == [], path
