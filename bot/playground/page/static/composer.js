// Where a person writes: grows with the text, Enter sends, "@" offers names and "/" commands. What is typed is never
// thrown away.

import { element } from "./elements.js";
import { suggestions } from "./suggestions.js";

const TYPING_EVERY_MS = 8000; // Discord shows typing for ten seconds
const NEARLY_FULL = 200;

export class Composer {
  #form = document.getElementById("composer");
  #text = document.getElementById("text");
  #remaining = document.getElementById("remaining");
  #send = document.getElementById("send");
  #picker = document.getElementById("picker");
  #replyBar = document.getElementById("reply-bar");
  #limit = Infinity; // code points, as the server counts
  #people = [];
  #commands = [];
  #choices = [];
  #chosen = 0;
  #typingSent = 0;
  #replyTo = null;
  #nonce = 0;
  #unconfirmed = new Map(); // nonce → { text, replyTo } on their way

  // say({ content, reply_to, nonce }) gives back whether it was sent; later comes `confirm` or `giveBack` of that nonce.
  constructor({ say, typing }) {
    this.say = say;
    this.typing = typing;
    this.#text.addEventListener("input", () => this.#typed());
    this.#text.addEventListener("keydown", (event) => this.#key(event));
    this.#text.addEventListener("blur", () => this.#offer([]));
    this.#form.addEventListener("submit", (event) => { event.preventDefault(); this.#submit(); });
    document.getElementById("reply-cancel").addEventListener("click", () => { this.replyTo(null); this.focus(); });
    this.#fit();
  }

  setUp({ people, placeholder, limit }) {
    this.#people = people;
    this.#text.placeholder = placeholder;
    this.#limit = limit;
    this.#fit();
  }

  setCommands(commands) { this.#commands = commands; }

  focus() { this.#text.focus(); }

  insert(text) {
    this.#text.focus();
    this.#text.setRangeText(text, this.#text.selectionStart, this.#text.selectionEnd, "end");
    this.#fit();
  }

  replyTo(message) {
    this.#replyTo = message;
    this.#replyBar.hidden = !message;
    document.getElementById("reply-name").textContent = message?.author.name ?? "";
    if (message) this.focus();
  }

  // The message is gone, or not in this channel.
  forgetReply(isGone) { if (this.#replyTo && isGone(this.#replyTo.id)) this.replyTo(null); }

  confirm(nonce) { this.#unconfirmed.delete(nonce); }

  // What was not taken stands before what has been typed since.
  giveBack(nonce) {
    const { text, replyTo } = this.#unconfirmed.get(nonce);
    this.#unconfirmed.delete(nonce);
    this.#text.value = [text, this.#text.value].filter(Boolean).join("\n");
    if (!this.#replyTo) this.replyTo(replyTo);
    this.#fit();
  }

  // The newest first, so that the oldest comes to stand before all others.
  giveBackAll() { for (const nonce of [...this.#unconfirmed.keys()].reverse()) this.giveBack(nonce); }

  #submit() {
    const content = this.#text.value.trim();
    const nonce = ++this.#nonce;
    if (this.#send.disabled || !this.say({ content, reply_to: this.#replyTo?.id ?? null, nonce })) return;
    this.#unconfirmed.set(nonce, { text: content, replyTo: this.#replyTo });
    this.replyTo(null);
    this.#text.value = "";
    this.#typingSent = 0;
    this.#fit();
  }

  #typed() {
    this.#fit();
    this.#offer(suggestions(this.#text.value.slice(0, this.#text.selectionStart), this.#people, this.#commands));
    if (this.#text.value && Date.now() - this.#typingSent > TYPING_EVERY_MS) {
      this.#typingSent = Date.now();
      this.typing();
    }
  }

  #fit() {
    this.#text.style.height = "auto";
    this.#text.style.height = `${this.#text.scrollHeight}px`;
    const left = this.#limit - [...this.#text.value.trim()].length;
    this.#remaining.hidden = left > NEARLY_FULL;
    this.#remaining.textContent = left;
    this.#remaining.classList.toggle("over", left < 0);
    this.#send.disabled = left < 0 || !this.#text.value.trim();
  }

  #key(event) {
    if (event.isComposing) return;
    if (this.#choices.length && ["ArrowUp", "ArrowDown", "Enter", "Tab", "Escape"].includes(event.key)) {
      event.preventDefault();
      if (event.key === "Escape") this.#offer([]);
      else if (event.key.startsWith("Arrow")) this.#choose(this.#chosen + (event.key === "ArrowUp" ? -1 : 1));
      else this.#complete(this.#choices[this.#chosen]);
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === "Escape") this.replyTo(null);
  }

  #offer(choices) {
    this.#choices = choices;
    this.#picker.hidden = choices.length === 0;
    this.#picker.replaceChildren(...choices.map((choice, index) => element("li", {
      role: "option", id: `choice-${index}`, onmousedown: (event) => { event.preventDefault(); this.#complete(choice); },
    }, ...choice.face)));
    this.#choose(0);
  }

  #choose(index) {
    this.#chosen = (index + this.#choices.length) % (this.#choices.length || 1);
    [...this.#picker.children].forEach((item, position) => item.setAttribute("aria-selected", String(position === this.#chosen)));
    const active = this.#picker.children[this.#chosen];
    active?.scrollIntoView({ block: "nearest" });
    if (active) this.#text.setAttribute("aria-activedescendant", active.id);
    else this.#text.removeAttribute("aria-activedescendant");
  }

  #complete({ start, text }) {
    this.#text.setRangeText(text, start, this.#text.selectionStart, "end");
    this.#offer([]);
    this.#typed(); // a command's options may follow
  }
}
