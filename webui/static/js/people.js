// Game, ruleset and people: up to seven at the table, who plays this deal, who deals; a chip's worth, off until set.

import { h, render } from "./dom.js";
import { seat } from "./score.js";
import { first, has, t } from "./words.js";

const MAX = 7;

export class People {
  constructor(box, setup) {
    this.box = box;
    this.games = setup.games;
    this.groups = setup.groups ?? [];
    this.decks = setup.decks ?? [];
    this.group = "";
    this.take(setup.settings);
    box.addEventListener("input", (event) => this.input(event.target));
    box.addEventListener("change", (event) => this.change(event.target));
    box.addEventListener("click", (event) => this.click(event.target.closest("[data-do]")));
  }

  /** Fill in what is set up, or a table that was kept; players are A, B, C … in seat order. */
  take(s) {
    const ids = s.names.map((_, i) => "ABCDEFG"[i]);
    this.game = this.games.some((g) => g.name === s.game) ? s.game : this.games[0]?.name;
    this.ruleset = s.ruleset;
    this.names = [...s.names];
    this.active = new Set(s.active?.length ? s.active.map((id) => ids.indexOf(id)) : this.names.map((_, i) => i));
    this.dealer = Math.max(0, ids.indexOf(s.dealer ?? ids[0]));
    this.overrides = { ...(s.overrides ?? {}) };
    this.deck = s.deck_name ?? "";
    this.options = s.options ?? {};
    this.money = s.stake ?? "";
    this.currency = s.currency ?? "";
  }

  get chosen() {
    return this.games.find((g) => g.name === this.game);
  }

  get rules() {
    return this.chosen?.rulesets.find((r) => r.name === this.ruleset) ?? this.chosen?.rulesets[0];
  }

  input(field) {
    if (field.dataset.name !== undefined) this.names[Number(field.dataset.name)] = field.value;
    if (field.id === "stake") this.money = field.value;
    if (field.id === "currency") this.currency = field.value;
    if (field.id === "group-name") this.group = field.value;
  }

  change(field) {
    if (field.id === "group") {
      const kept = this.groups.find((g) => g.name === field.value);
      this.group = kept?.name ?? "";
      if (kept) this.take(kept);
    } else if (field.id === "game") {
      this.game = field.value;
      this.ruleset = this.chosen.rulesets[0]?.name;
      this.overrides = {};
    } else if (field.id === "deck") {
      this.deck = field.value;
    } else if (field.id === "ruleset") {
      this.ruleset = field.value;
      this.overrides = {};
    } else if (field.dataset.active !== undefined) {
      const i = Number(field.dataset.active);
      if (field.checked) this.active.add(i);
      else this.active.delete(i);
    } else if (field.dataset.dealer !== undefined) this.dealer = Number(field.dataset.dealer);
    else if (field.dataset.rule !== undefined) this.override(field);
    else return;
    this.draw();
  }

  override(field) {
    const key = this.chosen.schema.find((k) => k.name === field.dataset.rule);
    const value = key.type === "bool" ? field.checked : key.type === "int" ? Number(field.value) : field.value;
    if (value === this.rules.values[key.name]) delete this.overrides[key.name];
    else this.overrides[key.name] = value;
  }

  click(el) {
    if (!el) return;
    if (el.dataset.do === "add" && this.names.length < MAX) {
      this.names.push("");
      if (this.active.size < this.chosen.players[1]) this.active.add(this.names.length - 1);
    }
    if (el.dataset.do === "remove" && this.names.length > 1) {
      const i = Number(el.dataset.arg);
      this.names.splice(i, 1);
      this.active = new Set([...this.active].filter((k) => k !== i).map((k) => (k > i ? k - 1 : k)));
      if (this.dealer >= this.names.length) this.dealer = 0;
    }
    if (el.dataset.do === "usual") delete this.overrides[el.dataset.arg];
    this.draw();
  }

  draw() {
    if (!this.chosen) return;
    const [low, high] = this.rules?.players ?? this.chosen.players;
    const playing = this.names.filter((_, i) => this.active.has(i)).length;
    render(this.box,
      this.keeping(),
      h("div", { class: "field-row" },
        h("label", { for: "game" }, t("people.game"), h("select", { id: "game", "data-test": "game" }, this.games.map((g) => h("option", { value: g.name, selected: g.name === this.game }, first([`game.${g.name}`]))))),
        h("label", { for: "ruleset" }, t("people.ruleset"), h("select", { id: "ruleset", "data-test": "ruleset" }, this.chosen.rulesets.map((r) => h("option", { value: r.name, selected: r.name === this.rules?.name }, first([`ruleset.${r.name}`])))))),
      this.deckChoice(),
      h("fieldset", { class: "people" }, h("legend", {}, t("people.who")),
        this.names.map((name, i) => h("div", { class: "person", "data-key": `p${i}` }, seat(i),
          h("input", { type: "text", value: name, maxlength: 40, "data-name": i, "data-test": `name-${i}`, placeholder: t("people.name", { n: i + 1 }), "aria-label": t("people.name", { n: i + 1 }), autocomplete: "off" }),
          h("label", { class: "check" }, h("input", { type: "checkbox", "data-active": i, checked: this.active.has(i) }), t("people.plays")),
          h("label", { class: "check" }, h("input", { type: "radio", name: "dealer", "data-dealer": i, checked: this.dealer === i, disabled: !this.active.has(i) }), t("people.deals")),
          this.names.length > low ? h("button", { type: "button", "data-do": "remove", "data-arg": i, "aria-label": t("people.remove", { name: name || i + 1 }) }, "✕") : null)),
        this.names.length < MAX ? h("button", { type: "button", "data-do": "add", "data-test": "add-person" }, `+ ${t("people.add")}`) : null,
        h("p", { class: playing < low || playing > high ? "note bad" : "note" }, t("people.count", { low, high, n: playing }))),
      this.changes(),
      h("fieldset", { class: "money" }, h("legend", {}, t("people.money")),
        h("p", { class: "quiet" }, t("people.money.why")),
        h("div", { class: "field-row" },
          h("label", { for: "stake" }, t("people.stake"), h("input", { id: "stake", type: "number", min: 0, step: "any", value: this.money, placeholder: "–", inputmode: "decimal" })),
          h("label", { for: "currency" }, t("people.currency"), h("input", { id: "currency", type: "text", maxlength: 8, value: this.currency, placeholder: "₩" })))));
    for (const [i, name] of this.names.entries()) {
      const field = this.box.querySelector(`[data-name="${i}"]`);
      if (field && field.value !== name) field.value = name;
    }
    for (const [id, value] of [["stake", this.money], ["currency", this.currency], ["group-name", this.group], ["game", this.game], ["ruleset", this.rules?.name]]) {
      const field = document.getElementById(id);
      if (field && field !== document.activeElement && field.value !== String(value)) field.value = value;
    }
  }

  /** Tables kept under a name: a family and a club play with other people and other rules. */
  keeping() {
    return h("details", { class: "keeping", open: this.groups.length > 0, "data-test": "groups" }, h("summary", {}, t("people.groups")),
      h("p", { class: "quiet" }, t("people.groups.why")),
      h("div", { class: "field-row" },
        this.groups.length ? h("label", { for: "group" }, t("people.groups"), h("select", { id: "group", "data-test": "group" }, h("option", { value: "" }, t("people.groups.none")), this.groups.map((g) => h("option", { value: g.name, selected: g.name === this.group }, g.name)))) : null,
        h("label", { for: "group-name" }, t("people.groups.name"), h("input", { id: "group-name", type: "text", maxlength: 40, value: this.group, autocomplete: "off", "data-test": "group-name" })),
        h("button", { type: "button", "data-act": "keep-table", "data-test": "keep-table" }, t("people.groups.keep")),
        this.groups.some((g) => g.name === this.group) ? h("button", { type: "button", "data-act": "forget-table", "data-test": "forget-table" }, t("people.groups.forget")) : null));
  }

  /** The decks that were enrolled here and fit the game. */
  fitting() {
    return this.decks.filter((d) => d.kind === this.chosen?.deck);
  }

  deckChoice() {
    if (this.chosen.deck === "numbers") return null;
    return h("div", { class: "field-row" },
      h("label", { for: "deck" }, t("people.deck"), h("select", { id: "deck", "data-test": "deck" },
        h("option", { value: "", selected: !this.deckNamed() }, t("people.deck.any")),
        this.fitting().map((d) => h("option", { value: d.name, selected: d.name === this.deck }, d.name)))),
      h("a", { class: "button", href: "/enrol", "data-test": "teach" }, t("people.deck.teach")));
  }

  deckNamed() {
    return this.fitting().find((d) => d.name === this.deck);
  }

  /** The deal's options: an enrolled hwatu deck says which bonus cards it has and what they count as. */
  dealOptions() {
    const deck = this.deckNamed();
    if (deck?.kind !== "hwatu") return this.options;
    return { ...this.options, bonus: deck.bonus, jokers: Object.keys(deck.bonus).length };
  }

  /** The ruleset with this table's own changes, shown as a difference. */
  changes() {
    const changed = Object.keys(this.overrides);
    const label = (key) => (has(`rule.${key}`) ? t(`rule.${key}`) : key.replaceAll("_", " "));
    const value = (v) => (v === true ? t("people.yes") : v === false ? t("people.no") : typeof v === "object" ? JSON.stringify(v) : String(v).replaceAll("-", " "));
    return h("fieldset", { class: "rules" }, h("legend", {}, t("people.house-rules")),
      changed.length ? h("ul", { class: "diff", "data-test": "diff" }, changed.map((key) => h("li", { "data-key": key }, h("span", {}, label(key)), h("del", {}, value(this.rules.values[key])), h("ins", {}, value(this.overrides[key])), h("button", { type: "button", "data-do": "usual", "data-arg": key }, t("people.usual"))))) : h("p", { class: "quiet" }, t("people.unchanged")),
      h("details", {}, h("summary", {}, t("people.change-rules")),
        h("div", { class: "rule-list" }, (this.chosen.schema ?? []).filter((k) => ["bool", "int", "choice"].includes(k.type)).map((k) => {
          const now = this.overrides[k.name] ?? this.rules?.values[k.name] ?? k.default;
          const id = `rule-${k.name}`;
          return h("label", { for: id, "data-key": k.name, class: k.name in this.overrides ? "changed" : "" }, h("span", {}, k.say || label(k.name)),
            k.type === "bool" ? h("input", { id, type: "checkbox", "data-rule": k.name, checked: now })
              : k.type === "int" ? h("input", { id, type: "number", min: k.low, max: k.high, value: now, "data-rule": k.name })
                : h("select", { id, "data-rule": k.name }, k.choices.map((c) => h("option", { value: c, selected: c === now }, value(c)))));
        }))));
  }

  ids() {
    return this.names.map((_, i) => "ABCDEFG"[i]);
  }

  command() {
    const ids = this.ids();
    const active = ids.filter((_, i) => this.active.has(i));
    const dealer = active.includes(ids[this.dealer]) ? ids[this.dealer] : active[0];
    return { game: this.game, ruleset: this.rules?.name, names: this.names.map((n) => n.trim()), active: active.length === ids.length ? [] : active, dealer, overrides: this.overrides, deck_name: this.deckNamed()?.name ?? null, ...(this.deckNamed() ? { options: this.dealOptions() } : {}) };
  }

  stake() {
    const stake = Number(this.money);
    return { stake: this.money !== "" && stake > 0 ? stake : null, currency: this.currency.trim() };
  }
}
