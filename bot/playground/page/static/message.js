// One message view (views.py) → one list item. `press` is the state of its buttons. What a click on it does is named by
// data-action; message_list.js has the handlers, so that a drawing holds none.

import { avatar, element, icon } from "./elements.js";
import { clock, fillTimestamps, messageTime } from "./times.js";

const buttonStyles = { 1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link" };

export function drawMessage(message, press) {
  const moment = new Date(message.timestamp);
  const item = element("li", {
    class: `message${message.mentions_viewer ? " mentioned" : ""}${message.ephemeral ? " ephemeral" : ""}`,
    id: `message-${message.id}`,
    "data-author": message.author.id,
    "data-time": moment.getTime(),
    "data-starts": Boolean(message.reply || message.ephemeral),
  },
    drawReply(message.reply),
    avatar(message.author),
    element("span", { class: "side-time", "aria-hidden": "true" }, clock(moment)),
    element("header", {},
      element("strong", { class: "name" }, message.author.name),
      message.author.is_app ? element("span", { class: "app-tag" }, "APP") : null,
      element("time", { datetime: message.timestamp }, messageTime(moment))),
    drawBody(message, press),
    message.ephemeral ? null : drawActions(message));
  fillTimestamps(item);
  return item;
}

// Takes nothing of the message but its id: anything else may be what cannot be drawn.
export function drawUnshowable(message) {
  return element("li", { class: "message", id: `message-${message.id}`, "data-author": "", "data-time": Date.now() },
    element("div", { class: "body" }, element("em", {}, "This message cannot be shown.")));
}

function drawBody(message, press) {
  const content = element("div", { class: "content", html: message.html });
  if (message.thinking) content.replaceChildren(element("em", { class: "thinking" }, `${message.author.name} is thinking…`));
  if (message.edited) (content.lastElementChild?.matches("p") ? content.lastElementChild : content).append(element("small", { class: "edited" }, " (edited)"));
  return element("div", { class: "body" },
    content,
    ...message.attachments.map(drawAttachment),
    ...message.embeds.map(drawEmbed),
    ...message.components.map((component) => drawComponent(component, press)),
    press === "failed" ? element("p", { class: "failed", role: "alert" }, "This interaction failed") : null,
    message.reactions.length ? drawReactions(message) : null,
    message.thread ? element("button", { class: "thread", type: "button", "data-action": "open", "data-target": message.thread.id }, `${message.thread.name} ›`) : null,
    message.ephemeral ? element("p", { class: "only-you" }, "Only you can see this · ",
      element("button", { class: "text-link", type: "button", "data-action": "dismiss" }, "Dismiss message")) : null);
}

function drawReply(reply) {
  if (!reply) return null;
  if (!reply.message_id) return element("div", { class: "reply gone" }, "Original message was deleted");
  return element("div", { class: "reply" },
    element("button", { class: "text-link", type: "button", "aria-label": `Replying to ${reply.author}: go to the message`, "data-action": "show", "data-target": reply.message_id }, `@${reply.author}`),
    element("span", { html: reply.text_html, inert: true }));
}

function drawAttachment(file) {
  if (file.is_image) {
    return element("a", { class: "picture", href: file.url, target: "_blank", rel: "noopener" },
      element("img", { src: file.url, alt: file.description || file.name }));
  }
  return element("div", { class: "file" }, icon("file"),
    element("div", {}, element("a", { href: file.url, download: file.name }, file.name), element("small", {}, file.size)));
}

function drawEmbed(embed) {
  const title = embed.url ? element("a", { href: embed.url, target: "_blank", rel: "noopener noreferrer", html: embed.title_html }) : element("span", { html: embed.title_html });
  const foot = [embed.footer, embed.timestamp ? messageTime(new Date(embed.timestamp)) : ""].filter(Boolean).join(" • ");
  const box = element("article", { class: "embed" },
    embed.author ? element("p", { class: "embed-author" }, embed.author) : null,
    embed.title_html ? element("h3", {}, title) : null,
    embed.description_html ? element("div", { class: "content", html: embed.description_html }) : null,
    embed.fields.length ? element("dl", {}, ...embed.fields.map(drawField)) : null,
    foot ? element("footer", {}, foot) : null);
  if (embed.color) box.style.setProperty("--bar", embed.color);
  return box;
}

function drawField(field) {
  return element("div", { class: field.inline ? "inline" : "" },
    element("dt", { html: field.name_html }), element("dd", { class: "content", html: field.value_html }));
}

function drawComponent(component, press) {
  if (component.kind === "text") return element("div", { class: "content", html: component.html });
  if (component.kind === "separator") return element("hr");
  return element("div", { class: "row" },
    ...component.controls.map((control) => control.kind === "select" ? drawSelect(control) : drawButton(control, press)));
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
    "aria-label": button.label ? undefined : button.emoji, "data-action": "press", "data-custom-id": button.custom_id,
  }, ...label);
}

function drawSelect(select) {
  return element("select", { disabled: select.disabled, "aria-label": select.placeholder },
    element("option", {}, select.placeholder), ...select.options.map((label) => element("option", { disabled: true }, label)));
}

function drawReactions(message) {
  return element("div", { class: "reactions" }, ...message.reactions.map(({ emoji, count, custom }) =>
    element("button", { type: "button", disabled: custom, "aria-label": `${emoji}, ${count}`, "data-action": "react", "data-emoji": emoji },
      element("span", { class: "emoji" }, emoji), String(count))));
}

function drawActions(message) {
  const action = (label, data, face) => element("button", { type: "button", title: label, "aria-label": label, ...data }, face);
  return element("div", { class: "actions", role: "group", "aria-label": "Message actions" },
    action("React with 👍", { "data-action": "react", "data-emoji": "👍" }, "👍"),
    action("Reply", { "data-action": "reply" }, icon("reply")),
    message.can_delete ? action("Delete", { "data-action": "remove" }, icon("delete")) : null);
}
