// The fields of a form (modal_views.py). Each drawing is { node, value(), problem() }: what is sent, and what is wrong
// with it, in the words for the person, or "".

import { element, icon } from "./elements.js";
import { openSelect, selectFace } from "./select_menu.js";
import { chooseFiles, upload } from "./uploads.js";

const REQUIRED = "This field is required.";
const length = (text) => [...text].length; // code points, as Discord counts

export function drawField(view, id) { return drawings[view.kind](view, id); }

const drawings = { input: drawInput, select: drawSelect, files: drawFiles, choices: drawChoices, checkbox: drawCheckbox };

function drawInput(view, id) {
  const input = element(view.is_paragraph ? "textarea" : "input", {
    id, name: view.custom_id, placeholder: view.placeholder, autocomplete: "off", "aria-required": view.required && "true", ...(view.is_paragraph ? { rows: 4 } : { type: "text" }),
  });
  input.value = view.value;
  const left = element("span", { class: "left", "aria-hidden": "true" });
  const count = () => {
    const over = length(input.value) - view.max_length;
    left.textContent = String(-over);
    left.classList.toggle("over", over > 0);
  };
  input.addEventListener("input", count);
  count();
  return {
    node: element("div", { class: "with-count" }, input, left),
    value: () => input.value,
    problem: () => {
      if (!input.value) return view.required ? REQUIRED : "";
      if (length(input.value) < view.min_length) return `Must be ${view.min_length} or more in length.`;
      return length(input.value) > view.max_length ? `Must be ${view.max_length} or fewer in length.` : "";
    },
  };
}

function howMany(view, count) {
  if (!count) return view.required && view.min_values > 0 ? REQUIRED : "";
  if (count < view.min_values) return `Choose at least ${view.min_values}.`;
  return count > view.max_values ? `Choose at most ${view.max_values}.` : "";
}

function drawSelect(view, id) {
  let chosen = [...view.chosen];
  const optional = { ...view, min_values: view.required ? view.min_values : 0 };
  const button = element("button", { type: "button", class: "select", id, "aria-haspopup": "listbox", "aria-expanded": "false" }, ...selectFace(view, chosen));
  button.addEventListener("click", () => openSelect(button, optional, chosen, (values) => {
    chosen = values;
    button.replaceChildren(...selectFace(view, chosen));
  }));
  return { node: button, value: () => chosen, problem: () => howMany(view, chosen.length) };
}

function drawFiles(view, id) {
  let files = [];
  const list = element("ul", { class: "chosen-files" });
  const problem = element("p", { class: "problem", role: "alert" });
  const button = element("button", { type: "button", class: "button secondary", id }, view.max_values > 1 ? "Choose files" : "Choose a file");
  const draw = () => list.replaceChildren(...files.map((file) => element("li", {}, icon("file"), file.name,
    element("button", { type: "button", class: "icon", "aria-label": `Remove ${file.name}`, onclick: () => { files = files.filter((other) => other !== file); draw(); } }, icon("close")))));
  button.addEventListener("click", async () => {
    problem.textContent = "";
    for (const file of await chooseFiles({ multiple: view.max_values > 1 })) {
      try {
        files = [...files, await upload(file)].slice(-view.max_values);
      } catch (error) {
        problem.textContent = error.message;
      }
    }
    draw();
  });
  return { node: element("div", { class: "files" }, button, list, problem), value: () => files.map((file) => file.id), problem: () => howMany(view, files.length) };
}

function drawChoices(view, id) {
  const type = view.is_single ? "radio" : "checkbox";
  const inputs = view.options.map(({ value }, index) => Object.assign(element("input", { type, name: view.custom_id, id: index ? `${id}-${index}` : id, value }), { checked: view.chosen.includes(value) }));
  const node = element("div", { class: "choices", role: view.is_single ? "radiogroup" : "group" }, ...view.options.map(({ label, description }, index) =>
    element("label", {}, inputs[index], element("span", {}, label, description ? element("small", {}, description) : null))));
  const chosen = () => inputs.filter(({ checked }) => checked).map(({ value }) => value);
  return { node, value: () => view.is_single ? chosen()[0] ?? null : chosen(), problem: () => howMany(view, chosen().length) };
}

function drawCheckbox(view, id) {
  const input = Object.assign(element("input", { type: "checkbox", name: view.custom_id, id }), { checked: view.is_checked });
  return { node: input, value: () => input.checked, problem: () => "" };
}
