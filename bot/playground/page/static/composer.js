// Where a person writes: grows with the text, Enter sends, "@" offers names and "/" commands. What is typed is never
// thrown away.

import { commandState } from "./command_text.js";
import { element } from "./elements.js";
import { suggestions } from "./suggestions.js";
import { chooseFiles, upload } from "./uploads.js";

const TYPING_EVERY_MS = 8000; // Discord shows typing for ten seconds
const NEARLY_FULL = 200;
const SUGGEST_AFTER_MS = 150; // without a key, before the bot is asked

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
  #picks = {}; // option of the command that is written → { text, value }
  #bot = null; // what the bot has suggested { option, nonce, loading, failed, choices }
  #asking;
  #unconfirmed = new Map(); // nonce → { text, replyTo } on their way

  // say({ content, reply_to, nonce }) gives back whether it was sent; later comes `confirm` or `giveBack` of that nonce.
  // suggest({ content, option, nonce, picks }) asks the bot; `hearChoices` has its answer. `complain` says what went wrong.
  constructor({ say, typing, suggest, complain }) {
    this.say = say;
    this.typing = typing;
    this.suggest = suggest;
    this.complain = complain;
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

  // A "/" that was typed before they came is answered now.
  setCommands(commands) {
    this.#commands = commands;
    if (document.activeElement !== this.#text) return;
    this.#askBot();
    this.#suggest();
  }

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
    const { text, replyTo, picks } = this.#unconfirmed.get(nonce);
    this.#unconfirmed.delete(nonce);
    this.#text.value = [text, this.#text.value].filter(Boolean).join("\n");
    this.#picks = { ...picks, ...this.#picks };
    if (!this.#replyTo) this.replyTo(replyTo);
    this.#fit();
  }

  // The newest first, so that the oldest comes to stand before all others.
  giveBackAll() { for (const nonce of [...this.#unconfirmed.keys()].reverse()) this.giveBack(nonce); }

  #submit() {
    const content = this.#text.value.trim();
    const nonce = ++this.#nonce;
    if (this.#send.disabled || !this.say({ content, reply_to: this.#replyTo?.id ?? null, nonce, picks: this.#picks })) return;
    this.#unconfirmed.set(nonce, { text: content, replyTo: this.#replyTo, picks: this.#picks });
    this.#picks = {};
    this.replyTo(null);
    this.#text.value = "";
    this.#typingSent = 0;
    this.#fit();
  }

  #typed() {
    this.#fit();
    this.#askBot();
    this.#suggest();
    if (this.#text.value && Date.now() - this.#typingSent > TYPING_EVERY_MS) {
      this.#typingSent = Date.now();
      this.typing();
    }
  }

  hearChoices({ nonce, choices, failed }) {
    if (nonce !== this.#bot?.nonce) return; // something else has been typed since
    Object.assign(this.#bot, { loading: false, choices, failed });
    if (document.activeElement === this.#text) this.#suggest();
  }

  get #beforeCaret() { return this.#text.value.slice(0, this.#text.selectionStart); }

  #suggest() { this.#offer(suggestions(this.#beforeCaret, this.#people, this.#commands, this.#picks, this.#bot)); }

  // What the bot suggested for another text is gone at once, so that Enter does not take it.
  #askBot() {
    clearTimeout(this.#asking);
    const current = commandState(this.#beforeCaret, this.#commands, this.#picks)?.current;
    if (!current?.option.autocomplete || current.isDone) { this.#bot = null; return; }
    const option = current.option.name;
    const nonce = ++this.#nonce;
    this.#bot = { option, nonce, loading: true, choices: [] };
    this.#asking = setTimeout(() => this.suggest({ content: this.#beforeCaret, option, nonce, picks: this.#picks }), SUGGEST_AFTER_MS);
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
    if (this.#choices.some(({ isNote }) => !isNote) && ["ArrowUp", "ArrowDown", "Enter", "Tab", "Escape"].includes(event.key)) {
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
      role: "option", id: `choice-${index}`, "aria-disabled": choice.isNote && "true", onmousedown: (event) => { event.preventDefault(); this.#complete(choice); },
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

  async #complete(choice) {
    if (choice.isNote) return;
    const { start, text, pick } = choice.attach ? await this.#attach(choice) : choice;
    if (text === undefined) return;
    if (pick) this.#picks = { ...this.#picks, [pick.option]: { text: pick.text, value: pick.value } };
    this.#text.focus();
    this.#text.setRangeText(text, start, this.#text.selectionStart, "end");
    this.#offer([]);
    this.#typed(); // a command's options may follow
  }

  async #attach({ start, attach: option }) {
    const [file] = await chooseFiles();
    if (!file) return {};
    try {
      const { id, name } = await upload(file);
      return { start, text: `${name} `, pick: { option, text: name, value: id } };
    } catch (error) {
      this.complain(error.message);
      return {};
    }
  }
}
