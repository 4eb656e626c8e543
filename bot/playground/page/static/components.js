// Components of a message (component_views.py). `state` is { press, chosen }: what the reader has done with them.
//
// Rows and buttons have keys, by which morph.js finds them again when text before them grows.

import { element } from "./elements.js";
import { drawFile, veil } from "./files.js";
import { selectFace } from "./select_menu.js";

const buttonStyles = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link" };

const drawings = {
  text: ({ html }) => element("div", { class: "content", html }),
  separator: ({ has_line, is_large }) => element("hr", { class: `${has_line ? "" : "blank"}${is_large ? " large" : ""}`.trim() || null }),
  media: drawMedia,
  gallery: ({ items }) => element("div", { class: "gallery" }, ...items.map(drawMedia)),
  section: ({ parts, accessory }, state) => element("div", { class: "section" },
    element("div", {}, ...parts.map((part) => drawComponent(part, state))), drawComponent(accessory, state)),
  container: drawContainer,
  row: drawRow,
};

export const drawComponent = (component, state) => drawings[component.kind](component, state);

function drawContainer({ color, is_spoiler, parts }, state) {
  const box = element("div", { class: "container" }, ...parts.map((part) => drawComponent(part, state)));
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

function drawRow({ controls }, state) {
  const first = controls[0];
  return element("div", { class: "row", "data-key": `row ${first?.custom_id ?? first?.label ?? ""}` },
    ...controls.map((control) => control.kind === "select" ? drawSelect(control, state) : drawButton(control, state)));
}

function drawButton(button, { press }) {
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

// `chosen`: what the reader has chosen in it, which the message does not tell.
function drawSelect(select, { press, chosen }) {
  const pending = press === select.custom_id;
  return element("button", {
    class: pending ? "select pending" : "select", type: "button", disabled: select.disabled, "aria-busy": pending && "true", "aria-haspopup": "listbox", "aria-expanded": "false",
    "aria-label": select.placeholder, "data-action": "choose", "data-custom-id": select.custom_id, "data-key": select.custom_id,
  }, ...selectFace(select, chosen?.get(select.custom_id) ?? select.chosen));
}

// The select of this id, wherever it stands.
export function findSelect(components, customId) {
  for (const component of components) {
    if (component.kind === "select" && component.custom_id === customId) return component;
    const inner = [...(component.controls ?? []), ...(component.parts ?? []), ...(component.accessory ? [component.accessory] : [])];
    const found = findSelect(inner, customId);
    if (found) return found;
  }
  return null;
}
