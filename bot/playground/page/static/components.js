// Components of a message (component_views.py). `press` is the state of its buttons.
//
// Rows and buttons have keys, by which morph.js finds them again when text before them grows.

import { element } from "./elements.js";
import { drawFile, veil } from "./files.js";

const buttonStyles = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link" };

const drawings = {
  text: ({ html }) => element("div", { class: "content", html }),
  separator: ({ has_line, is_large }) => element("hr", { class: `${has_line ? "" : "blank"}${is_large ? " large" : ""}`.trim() || null }),
  media: drawMedia,
  gallery: ({ items }) => element("div", { class: "gallery" }, ...items.map(drawMedia)),
  section: ({ parts, accessory }, press) => element("div", { class: "section" },
    element("div", {}, ...parts.map((part) => drawComponent(part, press))), drawComponent(accessory, press)),
  container: drawContainer,
  row: drawRow,
};

export const drawComponent = (component, press) => drawings[component.kind](component, press);

function drawContainer({ color, is_spoiler, parts }, press) {
  const box = element("div", { class: "container" }, ...parts.map((part) => drawComponent(part, press)));
  if (color) box.style.setProperty("--bar", color);
  return is_spoiler ? veil(box) : box;
}

function drawMedia({ file, link, description, is_spoiler }) {
  if (file) return drawFile(file, { hidden: is_spoiler || file.is_spoiler, description });
  const drawing = link
    ? element("a", { class: "elsewhere", href: link, target: "_blank", rel: "noopener noreferrer" }, description || link)
    : element("span", { class: "elsewhere" }, description || "[file]");
  return is_spoiler ? veil(drawing) : drawing;
}

function drawRow({ controls }, press) {
  const first = controls[0];
  return element("div", { class: "row", "data-key": `row ${first?.custom_id ?? first?.label ?? ""}` },
    ...controls.map((control) => control.kind === "select" ? drawSelect(control) : drawButton(control, press)));
}

function drawButton(button, press) {
  const label = [button.emoji ? element("span", { class: "emoji", "aria-hidden": "true" }, button.emoji) : null, button.label];
  const style = `button ${buttonStyles[button.style] ?? "secondary"}`;
  if (button.style === 5) {
    return button.disabled || !button.url
      ? element("span", { class: style, "aria-disabled": "true" }, ...label)
      : element("a", { class: style, href: button.url, target: "_blank", rel: "noopener noreferrer" }, ...label, " ↗");
  }
  const pending = Boolean(press) && press === button.custom_id;
  return element("button", {
    class: pending ? `${style} pending` : style, type: "button", disabled: button.disabled, "aria-busy": pending && "true",
    "aria-label": button.label ? undefined : button.emoji, "data-action": "press", "data-custom-id": button.custom_id, "data-key": button.custom_id,
  }, ...label);
}

function drawSelect(select) {
  return element("select", { disabled: select.disabled, "aria-label": select.placeholder },
    element("option", {}, select.placeholder), ...select.options.map((label) => element("option", { disabled: true }, label)));
}
