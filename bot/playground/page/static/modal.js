// The form with which the bot answers a press or a command. It closes when the bot has taken what was filled in, and stays,
// with what was written, when it has not. A dialog of the browser's: it keeps the focus, and Esc closes it.

import { element, icon } from "./elements.js";
import { drawField } from "./form_fields.js";
import { closeSelect } from "./select_menu.js";

export class Modal {
  #dialog = document.getElementById("modal");
  #form = null; // its id
  #fields = [];
  #failed;
  #send;

  // submit({ form, values }) gives back whether it was sent.
  constructor({ submit, closed }) {
    this.submit = submit;
    this.#dialog.addEventListener("close", () => { closeSelect(); this.#form = null; closed(); });
  }

  open({ id, title, parts }, bot) {
    this.#form = id;
    this.#fields = [];
    this.#failed = element("p", { class: "problem", role: "alert" });
    this.#send = element("button", { type: "submit", class: "button primary" }, "Submit");
    const close = () => this.#dialog.close();
    this.#dialog.replaceChildren(element("form", { method: "dialog", novalidate: true, onsubmit: (event) => { event.preventDefault(); this.#submit(); } },
      element("header", {}, element("h2", { id: "modal-title" }, title), element("button", { type: "button", class: "icon", "aria-label": "Close", onclick: close }, icon("close"))),
      element("div", { class: "fields" },
        element("p", { class: "warning" }, `This form will be submitted to ${bot.name}. Do not share passwords or other sensitive information.`),
        ...parts.map((part, index) => part.kind === "label" ? this.#drawLabel(part, `field-${index}`) : element("div", { class: "content", html: part.html })),
        this.#failed),
      element("footer", {}, element("button", { type: "button", class: "button plain", onclick: close }, "Cancel"), this.#send)));
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#dialog.querySelector(".field :is(input, textarea, button)")?.focus();
  }

  close() { if (this.#dialog.open) this.#dialog.close(); }

  done(form) { if (form === this.#form) this.close(); }

  fail(form, text) {
    if (form !== this.#form) return;
    this.#failed.textContent = text;
    this.#wait(false);
  }

  #drawLabel({ label, description, field }, id) {
    const drawing = drawField(field, id);
    const problem = element("p", { class: "problem", id: `${id}-problem`, role: "alert" });
    this.#fields.push({ custom_id: field.custom_id, drawing, said: problem });
    drawing.node.setAttribute("aria-describedby", problem.id);
    return element("div", { class: "field" },
      element("label", { for: id, class: field.required && "needed" }, label),
      description ? element("p", { class: "description" }, description) : null,
      drawing.node, problem);
  }

  #submit() {
    if (this.#send.getAttribute("aria-busy")) return;
    this.#failed.textContent = "";
    for (const { drawing, said } of this.#fields) said.textContent = drawing.problem();
    const wrong = this.#fields.find(({ said }) => said.textContent);
    if (wrong) {
      const { node } = wrong.drawing;
      (node.matches("input, button") ? node : node.querySelector("input, textarea, button")).focus();
      return;
    }
    const values = Object.fromEntries(this.#fields.map(({ custom_id, drawing }) => [custom_id, drawing.value()]));
    if (this.submit({ form: this.#form, values })) this.#wait(true);
  }

  #wait(waiting) {
    if (waiting) this.#send.setAttribute("aria-busy", "true"); else this.#send.removeAttribute("aria-busy");
    this.#send.classList.toggle("pending", waiting);
  }
}
