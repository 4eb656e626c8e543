// The list that opens under a select. One choice closes it; several are applied when it closes, as on Discord.
//
// It stands in the page's top level (or in the dialog of its select, as all else is inert then), so that no edit of the
// message redraws it.

import { offersOf } from "./directory.js";
import { element } from "./elements.js";

let open = null; // the one that is open

const sameSet = (some, others) => some.length === others.length && some.every((value) => others.includes(value));

// What stands in a closed select that has these values.
export function selectFace(view, chosen) {
  const labels = offersOf(view).filter(({ value }) => chosen.includes(value));
  return labels.length
    ? labels.map(({ label, face }) => element("span", { class: view.max_values > 1 ? "chip" : "chosen-option" }, face?.(), label))
    : [element("span", { class: "placeholder" }, view.placeholder)];
}

// `apply(values)` is called with what has been chosen, if it is something else than before and enough.
export function openSelect(anchor, view, chosen, apply) {
  const again = open?.anchor === anchor;
  closeSelect();
  if (!again) open = new SelectMenu(anchor, view, chosen, apply);
}

export function closeSelect() { open?.close(); }

class SelectMenu {
  #view;
  #before;
  #chosen;
  #apply;
  #active = 0;
  #shown = [];
  #search;
  #list = element("ul", { role: "listbox", id: "select-options", tabindex: "-1" });
  #box;
  #place = () => this.#putInPlace();
  #outside = ({ target }) => { if (!this.#box.contains(target) && !this.anchor.contains(target)) this.close(); };

  constructor(anchor, view, chosen, apply) {
    this.anchor = anchor;
    this.#view = view;
    this.#before = chosen;
    this.#chosen = [...chosen];
    this.#apply = apply;
    this.#list.setAttribute("aria-label", view.placeholder);
    this.#list.setAttribute("aria-multiselectable", String(view.max_values > 1));
    this.#search = view.of.length ? element("input", {
      type: "text", placeholder: "Search", "aria-label": "Search", role: "combobox", "aria-controls": "select-options", "aria-expanded": "true",
      oninput: () => { this.#active = 0; this.#draw(); },
    }) : null;
    this.#box = element("div", { class: "select-menu", onkeydown: (event) => this.#key(event) }, this.#search, this.#list);
    (anchor.closest("dialog") ?? document.body).append(this.#box);
    anchor.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", this.#outside);
    document.addEventListener("scroll", this.#place, true);
    addEventListener("resize", this.#place);
    this.#draw();
    this.#activate(Math.max(0, this.#shown.findIndex(({ value }) => this.#chosen.includes(value))));
    (this.#search ?? this.#list).focus();
  }

  close() {
    open = null;
    document.removeEventListener("pointerdown", this.#outside);
    document.removeEventListener("scroll", this.#place, true);
    removeEventListener("resize", this.#place);
    const hadFocus = this.#box.contains(document.activeElement);
    this.#box.remove();
    this.anchor.setAttribute("aria-expanded", "false");
    if (hadFocus) this.anchor.focus();
    if (this.#chosen.length >= this.#view.min_values && !sameSet(this.#chosen, this.#before)) this.#apply(this.#chosen);
  }

  get #isMultiple() { return this.#view.max_values > 1; }

  #draw() {
    const wanted = this.#search?.value.toLowerCase() ?? "";
    this.#shown = offersOf(this.#view).filter(({ label }) => label.toLowerCase().includes(wanted));
    const full = this.#isMultiple && this.#chosen.length >= this.#view.max_values;
    this.#list.replaceChildren(...this.#shown.map(({ value, label, note, face }, index) => {
      const isChosen = this.#chosen.includes(value);
      return element("li", {
        role: "option", id: `select-option-${index}`, "aria-selected": String(isChosen), "aria-disabled": full && !isChosen && "true",
        onclick: () => { this.#activate(index); this.#toggle(); }, onpointermove: () => this.#activate(index),
      }, face?.(), element("span", { class: "option-text" }, element("span", {}, label), note ? element("small", {}, note) : null),
      element("span", { class: this.#isMultiple ? "tick box" : "tick", "aria-hidden": "true" }, isChosen ? "✓" : ""));
    }));
    if (!this.#shown.length) this.#list.append(element("li", { class: "nothing", "aria-disabled": "true" }, "Nothing found"));
    this.#activate(this.#active);
    this.#putInPlace();
  }

  #activate(index) {
    this.#active = Math.max(0, Math.min(index, this.#shown.length - 1));
    [...this.#list.children].forEach((item, position) => item.classList.toggle("active", position === this.#active));
    const active = this.#list.children[this.#active];
    if (active?.id) (this.#search ?? this.#list).setAttribute("aria-activedescendant", active.id);
  }

  #toggle() {
    const offer = this.#shown[this.#active];
    if (!offer) return;
    const isChosen = this.#chosen.includes(offer.value);
    if (!this.#isMultiple) {
      this.#chosen = isChosen && this.#view.min_values === 0 ? [] : [offer.value];
      this.close();
      return;
    }
    if (isChosen) this.#chosen = this.#chosen.filter((value) => value !== offer.value);
    else if (this.#chosen.length < this.#view.max_values) this.#chosen.push(offer.value);
    this.#draw();
  }

  #key(event) {
    const moves = { ArrowDown: this.#active + 1, ArrowUp: this.#active - 1, Home: 0, End: this.#shown.length - 1 };
    const chooses = event.key === "Enter" || event.key === " " && !this.#search;
    if (event.key in moves) this.#activate(moves[event.key]);
    else if (chooses) this.#toggle();
    else if (event.key === "Escape") this.close();
    else if (event.key === "Tab") { this.close(); return; }
    else {
      if (!this.#search && event.key.length === 1) this.#activate(this.#firstAfter(event.key.toLowerCase()));
      return;
    }
    event.preventDefault();
    event.stopPropagation(); // Escape is for the list, not for the dialog around it
    this.#list.children[this.#active]?.scrollIntoView({ block: "nearest" });
  }

  #firstAfter(letter) {
    const fits = ({ label }) => label.toLowerCase().startsWith(letter);
    const next = this.#shown.findIndex((offer, index) => index > this.#active && fits(offer));
    return next >= 0 ? next : Math.max(this.#active, this.#shown.findIndex(fits));
  }

  #putInPlace() {
    if (!this.anchor.isConnected) { // the message was edited away under it
      this.#chosen = this.#before;
      this.close();
      return;
    }
    const { left, top, bottom, width } = this.anchor.getBoundingClientRect();
    const { style, offsetHeight } = this.#box;
    const below = bottom + offsetHeight + 8 <= innerHeight || top < offsetHeight;
    style.left = `${left}px`;
    style.width = `${width}px`;
    style.top = `${below ? bottom + 4 : top - offsetHeight - 4}px`;
  }
}
