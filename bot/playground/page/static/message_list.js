// The channel's messages: each event draws one of them, and what of it has not changed stays the very same node.

import { drawMessage, drawUnshowable } from "./message.js";
import { morph } from "./morph.js";
import { day } from "./times.js";

const GROUP_WITHIN_MS = 7 * 60 * 1000; // later messages of an author show the name again
const AT_BOTTOM_PX = 60;

export class MessageList {
  #list = document.getElementById("messages");
  #scroller = document.getElementById("scroller");
  #jump = document.getElementById("jump");
  #views = new Map(); // message id → view
  #presses = new Map(); // message id → custom id of a pending press, or "failed"
  #chosen = new Map(); // message id → custom id of a select → what the reader chose in it
  #dismissed = new Set();
  #stuck = true;
  #top = 0; // where the reader was

  // actions: name → handler(message, the clicked element's data, that element). A handler outlives the drawing it was clicked in.
  constructor(actions) {
    this.#list.addEventListener("click", ({ target }) => this.#clicked(target, actions));
    this.#list.addEventListener("keydown", (event) => {
      if (!["Enter", " "].includes(event.key) || !event.target.matches(".spoiler")) return;
      event.preventDefault();
      reveal(event.target);
    });
    this.#jump.addEventListener("click", () => this.#toBottom());
    // Pictures load late and the window may change its size: whoever was at the bottom stays there.
    this.#scroller.addEventListener("scroll", () => this.#scrolled());
    const sizes = new ResizeObserver(() => { if (this.#stuck) this.#toBottom(); });
    sizes.observe(this.#list);
    sizes.observe(this.#scroller);
  }

  get(messageId) { return this.#views.get(messageId); }

  // `again`: the same channel for the same person, after a lost connection; then the reader's place in it is kept.
  showAll(messages, again) {
    const stick = !again || this.#isAtBottom();
    const shown = new Set(messages.map(({ id }) => `message-${id}`));
    for (const item of [...this.#list.children]) if (!again || !shown.has(item.id)) item.remove();
    this.#views.clear();
    this.#presses.clear();
    if (!again) this.#chosen.clear();
    for (const message of messages) this.#place(message);
    if (stick) this.#toBottom();
  }

  // `own`: the reader's, which is always worth seeing.
  add(message, own) {
    const stick = own || this.#isAtBottom();
    this.#place(message);
    if (stick) this.#toBottom(); else this.#jump.hidden = false;
  }

  // A message that is too old to be here stays away.
  change(message) {
    const before = this.#views.get(message.id);
    if (!before) return;
    if (JSON.stringify(before.components) !== JSON.stringify(message.components)) this.#chosen.delete(message.id);
    this.#keepingBottom(() => this.#place(message));
  }

  remove(messageId) {
    const item = this.#item(messageId);
    const next = item?.nextElementSibling;
    this.#views.delete(messageId);
    item?.remove();
    this.#group(next);
  }

  dismiss(messageId) { this.#dismissed.add(messageId); this.remove(messageId); }

  setPress(messageId, press) {
    if (press) this.#presses.set(messageId, press); else this.#presses.delete(messageId);
    const message = this.#views.get(messageId);
    if (message) this.change(message);
  }

  chosen(messageId, select) { return this.#chosen.get(messageId)?.get(select.custom_id) ?? select.chosen; }

  // Until the message's controls are changed.
  setChosen(messageId, customId, values) {
    if (!this.#chosen.has(messageId)) this.#chosen.set(messageId, new Map());
    this.#chosen.get(messageId).set(customId, values);
    const message = this.#views.get(messageId);
    if (message) this.#keepingBottom(() => this.#place(message));
  }

  show(messageId) {
    const target = this.#item(messageId);
    target?.scrollIntoView({ block: "center" });
    target?.animate({ backgroundColor: ["#5865f240", "transparent"] }, 1500);
  }

  #clicked(target, actions) {
    const item = target.closest(".message");
    const spoiler = target.closest(".spoiler:not(.revealed)");
    const control = target.closest("[data-action]");
    // Fingers cannot hover: a tap shows the message's actions.
    for (const other of this.#list.querySelectorAll(".chosen")) if (other !== item) other.classList.remove("chosen");
    item?.classList.add("chosen");
    if (spoiler) reveal(spoiler);
    else if (control) actions[control.dataset.action](this.#views.get(item.id.replace("message-", "")), control.dataset, control);
  }

  #place(message) {
    if (this.#dismissed.has(message.id)) return;
    this.#views.set(message.id, message);
    const old = this.#item(message.id);
    const item = this.#draw(message);
    if (!old) {
      this.#list.append(item);
      this.#group(item);
      return;
    }
    keepMarks(old, item);
    morph(old, item);
    this.#group(old);
    this.#group(old.nextElementSibling);
  }

  #draw(message) {
    try {
      return drawMessage(message, { press: this.#presses.get(message.id), chosen: this.#chosen.get(message.id) });
    } catch (error) { // one message, whatever is wrong with it, must not take the page with it
      console.info(`Message ${message.id} cannot be shown:`, error);
      return drawUnshowable(message);
    }
  }

  #group(item) {
    if (!item) return;
    const before = item.previousElementSibling;
    const moment = new Date(Number(item.dataset.time));
    const sameDay = before && new Date(Number(before.dataset.time)).toDateString() === moment.toDateString();
    item.classList.toggle("grouped", Boolean(sameDay) && !("starts" in item.dataset) && !before.classList.contains("ephemeral") && before.dataset.author === item.dataset.author
      && item.dataset.time - before.dataset.time < GROUP_WITHIN_MS);
    if (sameDay) item.removeAttribute("data-day");
    else item.dataset.day = day(moment);
  }

  #item(messageId) { return document.getElementById(`message-${messageId}`); }
  // Only who scrolls up leaves the bottom: a picture that grows below is no wish of the reader's.
  #scrolled() {
    const top = this.#scroller.scrollTop;
    if (this.#isAtBottom()) { this.#stuck = true; this.#jump.hidden = true; } else if (top < this.#top) this.#stuck = false;
    this.#top = top;
  }

  #isAtBottom() { return this.#scroller.scrollHeight - this.#scroller.scrollTop - this.#scroller.clientHeight < AT_BOTTOM_PX; }
  #toBottom() { this.#scroller.scrollTop = this.#scroller.scrollHeight; this.#stuck = true; this.#jump.hidden = true; }

  #keepingBottom(change) {
    const stick = this.#isAtBottom();
    change();
    if (stick) this.#toBottom();
  }
}

// What the reader and the neighbours have made of a message is not in its view.
function keepMarks(old, item) {
  for (const name of ["grouped", "chosen"]) item.classList.toggle(name, old.classList.contains(name));
  if (old.dataset.day) item.dataset.day = old.dataset.day;
  const spoilers = item.querySelectorAll(".spoiler");
  old.querySelectorAll(".spoiler").forEach((spoiler, index) => {
    if (spoiler.classList.contains("revealed") && spoilers[index]) reveal(spoilers[index]);
  });
}

function reveal(spoiler) {
  spoiler.classList.add("revealed");
  for (const name of ["role", "tabindex", "aria-label"]) spoiler.removeAttribute(name);
}
