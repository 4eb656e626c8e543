// Files of a message (file_views.py): pictures, the first lines of texts, downloads.

import { element, icon } from "./elements.js";

export function drawFile(file, { hidden = file.is_spoiler, description = file.description } = {}) {
  const drawing = file.is_image ? drawPicture(file, description) : drawDownload(file);
  drawing.dataset.key = `file ${file.url}`;
  return hidden ? veil(drawing) : drawing;
}

// What is only seen after a press, as spoilers in a text are; message_list.js reveals it.
export function veil(drawing) {
  return element("div", { class: "spoiler veil", role: "button", tabindex: "0", "aria-label": "Spoiler, press to reveal", "data-key": `veil ${drawing.dataset.key ?? ""}` }, drawing);
}

function drawPicture(file, description) {
  return element("a", { class: "picture", href: file.url, target: "_blank", rel: "noopener" },
    element("img", { src: file.url, alt: description || file.name }));
}

function drawDownload(file) {
  const { preview } = file;
  return element("div", { class: preview ? "file with-preview" : "file" },
    preview ? element("pre", { tabindex: "0", "aria-label": `Beginning of ${file.name}` }, element("code", { html: preview.html })) : null,
    preview && !preview.is_whole ? element("p", { class: "cut" }, "…") : null,
    element("div", { class: "file-line" }, icon("file"),
      element("div", {}, element("a", { href: file.url, download: file.name }, file.name),
        element("small", {}, [file.size, file.description].filter(Boolean).join(" · ")))));
}
