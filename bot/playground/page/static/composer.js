// Where a person writes: grows with the text, Enter sends, "@" offers names. What is typed is never thrown away.

import { avatar, element } from "./elements.js";

const LIMIT = 2000; // code points, as the server counts
const TYPING_EVERY_MS = 8000; // Discord shows typing for ten seconds

export class Composer {
  #form = document.getElementById("composer");
  #text = document.getElementById("text");
  #remaining = document.getElementById("remaining");
  #picker = document.getElementById("mention-picker");
  #people = [];
  #choices = [];
  #chosen = 0;
  #typingSent = 0;

  // send(text) gives back whether it was taken; then the text is cleared.
  constructor({ send, typing, escape }) {
    this.send = send;
    this.typing = typing;
    this.escape = escape;
    this.#text.addEventListener("input", () => this.#typed());
    this.#text.addEventListener("keydown", (event) => this.#key(event));
    this.#text.addEventListener("blur", () => this.#offer([]));
    this.#form.addEventListener("submit", (event) => { event.preventDefault(); this.#submit(); });
  }

  setPeople(people) { this.#people = people; }
  setPlaceholder(text) { this.#text.placeholder = text; }
  focus() { this.#text.focus(); }

  insert(text) {
    this.#text.focus();
    this.#text.setRangeText(text, this.#text.selectionStart, this.#text.selectionEnd, "end");
    this.#fit();
  }

  restore(text) {
    if (this.#text.value) return;
    this.#text.value = text;
    this.#fit();
  }

  #submit() {
    const text = this.#text.value.trim();
    if (!text || [...text].length > LIMIT || !this.send(text)) return;
    this.#text.value = "";
    this.#typingSent = 0;
    this.#fit();
  }

  #typed() {
    this.#fit();
    const word = /(?:^|\s)@(\w*)$/.exec(this.#text.value.slice(0, this.#text.selectionStart));
    this.#offer(word ? this.#people.filter(({ name }) => name.toLowerCase().startsWith(word[1].toLowerCase())) : []);
    if (this.#text.value && Date.now() - this.#typingSent > TYPING_EVERY_MS) {
      this.#typingSent = Date.now();
      this.typing();
    }
  }

  #fit() {
    this.#text.style.height = "auto";
    this.#text.style.height = `${this.#text.scrollHeight}px`;
    const left = LIMIT - [...this.#text.value].length;
    this.#remaining.hidden = left > 200;
    this.#remaining.textContent = left;
    this.#remaining.classList.toggle("over", left < 0);
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
    } else if (event.key === "Escape") this.escape();
  }

  #offer(choices) {
    this.#choices = choices;
    this.#picker.hidden = choices.length === 0;
    this.#picker.replaceChildren(...choices.map((person) => element("li", {
      role: "option", id: `mention-${person.id}`, onmousedown: (event) => { event.preventDefault(); this.#complete(person); },
    }, avatar(person, "small"), person.name, person.is_app ? element("span", { class: "app-tag" }, "APP") : null)));
    this.#choose(0);
  }

  #choose(index) {
    this.#chosen = (index + this.#choices.length) % (this.#choices.length || 1);
    [...this.#picker.children].forEach((item, position) => item.setAttribute("aria-selected", String(position === this.#chosen)));
    const active = this.#choices[this.#chosen];
    if (active) this.#text.setAttribute("aria-activedescendant", `mention-${active.id}`);
    else this.#text.removeAttribute("aria-activedescendant");
  }

  #complete(person) {
    const caret = this.#text.selectionStart;
    const start = this.#text.value.lastIndexOf("@", caret - 1);
    this.#text.setRangeText(`@${person.name} `, start, caret, "end");
    this.#offer([]);
    this.#fit();
  }
}
